"""What can be asked: the routes, the JSON they take and give, and the formats of answers."""

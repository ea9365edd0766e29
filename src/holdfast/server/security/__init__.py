"""Who may ask, under which name, how much and how often."""

"""The processes that link, and the queue before them."""

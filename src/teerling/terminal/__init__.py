"""A match at a terminal: its file, what it looks like, and an evening of play."""

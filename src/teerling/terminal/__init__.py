"""A match at a terminal: its file, what it looks like, and a session of play."""

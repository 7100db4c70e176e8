"""Tables: the one way to change one, who is there, and which of them are in memory."""

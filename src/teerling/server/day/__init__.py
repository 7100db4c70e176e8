"""The deal and the puzzle of every day."""

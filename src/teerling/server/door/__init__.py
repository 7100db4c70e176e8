"""The door: who comes in at all, how often, and how much at once."""

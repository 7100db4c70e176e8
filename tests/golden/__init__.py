"""Recorded playthroughs: a change of behaviour shows as a difference."""

"""Loops over the rules of any game, compiled for one game at a time (see `engine.compile.bind`)."""

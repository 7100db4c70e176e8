"""The games, one folder each, and what several of them share: the auction and the drawings of Egypt."""

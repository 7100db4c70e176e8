"""What Ra and Priests of Ra share: suns, turns, the auction, epochs and fame.

No game by itself. `rules` holds the functions over the record; the other modules make them readable.
"""

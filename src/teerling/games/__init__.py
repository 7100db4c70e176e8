"""The five games, one folder each, and the auction that Ra and Priests of Ra share."""

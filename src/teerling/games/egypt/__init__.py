"""What Ra, Priests of Ra and Ra: The Dice Game share: the drawings of gods, monuments and disasters."""

"""A game that is not part of the package: one folder and no other change."""

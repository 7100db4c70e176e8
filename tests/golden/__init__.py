"""Golden files, by version of the rules: matches that load for ever, and what was seen at every step."""

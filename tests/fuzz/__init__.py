"""Input that nobody would write on purpose: a minute of it in every test run, hours of it by `make fuzz`."""

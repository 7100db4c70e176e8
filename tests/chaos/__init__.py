"""Faults on purpose: people play, something breaks under them, and what they were told must still be there.

`load` are those who play and remember, `faults` what is done to servers, `check` what must hold afterwards,
`scenes` puts them together. `make chaos` is the long form; tests/server/test_faults.py has the short ones.
"""

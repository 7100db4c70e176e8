"""The games as environments of other projects: PettingZoo, Gymnasium and OpenSpiel.

Each is a module of its own, and needs its extra: `pip install teerling[pettingzoo]`, `teerling[gymnasium]` or
`teerling[openspiel]`.
"""

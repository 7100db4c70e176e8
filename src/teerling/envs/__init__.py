"""The games as environments of other projects: PettingZoo, Gymnasium and OpenSpiel.

Each is a module of its own and needs the extra of its name, such as `pip install 'teerling[pettingzoo]'`.
"""

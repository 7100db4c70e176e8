"""A match of Ra: random decisions, told in Dutch, and where every point came from."""

import random

import teerling

chooser = random.Random(4)
match = teerling.new("ra", players=3, seed=7, names=["Anne", "Marc", "Herman"])
while not match.over:
    match.push(chooser.choice(match.legal_moves))

print("\n".join(match.log("nl")[-12:]))
for seat, name in enumerate(match.names):
    lines = [f"{line.data['points']:+d} {line.data['line']} {line.rule}" for line in match.score_lines(seat)]
    print(f"{name}: {match.scores[seat]}  ({', '.join(lines)})")

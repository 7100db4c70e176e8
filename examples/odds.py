"""Exact odds from a position: how likely is it that the next tile ends the epoch?"""

import teerling

match = teerling.at("ra", {"players": 4, "ra_row": 8, "row": ["pharaoh", "nile", "gold"]}, seed=1)
after = match.preview("draw")
odds = {move.text: chance for move, chance in after.chances}
print(f"The epoch ends with probability {odds['tile ra']} = {float(odds['tile ra']):.1%}")

"""Does it matter where you sit? A hundred thousand random games of Ra say."""

from teerling.lab import simulate

result = simulate("ra", players=4, games=100_000, seed=1)
for seat, rate in enumerate(result.win_rates):
    print(f"seat {seat} wins {rate:.1%}")

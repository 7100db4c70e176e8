"""What is learned from the games: simulations, players against each other, pictures, benchmarks."""

from .arena import Arena, arena
from .plot import plot
from .simulate import Simulation, Spread, simulate

__all__ = ["Arena", "Simulation", "Spread", "arena", "plot", "simulate"]

"""What is learned from the games: simulations, their pictures, benchmarks."""

from .plot import plot
from .simulate import Simulation, Spread, simulate

__all__ = ["Simulation", "Spread", "plot", "simulate"]

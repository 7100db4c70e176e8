"""What is learned from the games: simulations, their pictures, benchmarks."""

from .simulate import Simulation, Spread, simulate

__all__ = ["Simulation", "Spread", "simulate"]

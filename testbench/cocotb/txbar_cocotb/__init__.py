"""A cocotb agent for units exported by txbar: driver, monitor, scoreboard and functional coverage at their own pins.

Pins, codes and parameters are those of the manifest NAME.json. The model is txbar's: the scoreboard, the coverage and random traffic come from its C library.
"""
from .agent import Agent
from .kit import Kit, Mismatch, Traffic

__all__ = ["Agent", "Kit", "Mismatch", "Traffic"]

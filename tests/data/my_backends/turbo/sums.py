"""Params of kernels for sums."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sums:
    """How many elements are added, and what is added to each sum before it is clamped."""

    elements: int
    offset: int
    low: int
    high: int

"""Fitting of constant arrays into memories: the hottest array first gets the memory that costs
fewest cycles.

The heat of an array is the words read of it in one inference, per byte. An array is never split;
arrays that found no room are placed before all others in another round, until all have a place or a
round finds none for the arrays that it began with. An array that is copied at start takes room in
flash as well. A greedy order is not always the best one, which would be a knapsack with several
memories; it is never far off where arrays are small beside the memories.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opsmith.board.describe import ConstantsRule

FLASH = "flash"
UNIT = 8  # bytes that arrays are aligned to, at most


@dataclass(frozen=True)
class Home:
    """A memory in which arrays may lie, by one rule."""

    memory: str
    wait_states: float
    rule: ConstantsRule | None = None  # rule that allows this memory; None: flash

    @property
    def copied(self) -> bool:
        """True if the array's bytes are in flash as well, from where they are copied at start."""
        return self.rule is not None and self.rule.copied

    @property
    def limit(self) -> float:
        """Limit in bytes on all arrays that the rule places."""
        return math.inf if self.rule is None or self.rule.limit is None else self.rule.limit

    def takes(self, array: HotArray) -> bool:
        """True if the rule accepts an array, by its size."""
        return self.rule is None or self.rule.at_least <= array.bytes <= self.rule.at_most


@dataclass(frozen=True)
class HotArray:
    """An array of constants, and how many words of it one inference reads."""

    index: int
    bytes: int
    words: int

    @property
    def padded(self) -> int:
        """Bytes of the array, rounded up to the alignment of arrays."""
        return -(-self.bytes // UNIT) * UNIT

    @property
    def heat(self) -> float:
        """Words read per byte of the array."""
        return self.words / max(self.bytes, 1)


@dataclass(frozen=True)
class Fit:
    """Home of each array, by its index, and the arrays without one."""

    homes: Mapping[int, Home]
    homeless: Sequence[HotArray] = ()


def fit(arrays: Sequence[HotArray], homes: Sequence[Home], room: Mapping[str, float]) -> Fit:
    """Place all arrays, with `room` bytes in each memory; flash comes first among `homes`."""
    first: set[int] = set()
    while True:
        order = sorted(arrays, key=lambda a: (a.index not in first, -a.heat, -a.bytes, a.index))
        found = _round(order, homes, room)
        homeless = {array.index for array in found.homeless}
        if homeless <= first:
            return found
        first |= homeless


def _round(order: Sequence[HotArray], homes: Sequence[Home], room: Mapping[str, float]) -> Fit:
    """Place arrays in the given order, each where it costs fewest cycles of the homes with room."""
    left, limits = dict(room), [home.limit for home in homes]
    taken: dict[int, Home] = {}
    homeless = []
    for array in order:
        size = array.padded
        for i in sorted(range(len(homes)), key=lambda i: (array.words * homes[i].wait_states, i)):
            memories = [homes[i].memory, *([FLASH] if homes[i].copied else [])]
            fits = size <= limits[i] and all(size <= left[memory] for memory in memories)
            if fits and homes[i].takes(array):
                limits[i] -= size
                for memory in memories:
                    left[memory] -= size
                taken[array.index] = homes[i]
                break
        else:
            homeless.append(array)
    return Fit(taken, homeless)

"""Channels that need another form of requantisation than their layer, and the rows of a mixed
table.

Multipliers of trained layers differ by factors of thousands: with the shifts that the steepest
channel allows, others have too few bits. Without the channels at either end, the rest has
thresholds with one pair of shifts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from runtimes.core.exceptions import ROWS
from runtimes.core.output_steps import HIGHEST, Ints, MonotoneSums, Steps, edges, with_middle
from runtimes.core.threshold_requantization import Shift, Thresholds, chosen_constants

Channels = NDArray[np.bool_]

_FEW = 16  # channels that show whether most have room
_LEFTS = 2  # left shifts that are tried: the larger, the finer
_RIGHTS = 6  # and right shifts with each, from the steepest channel's on
_LARGEST_RIGHT = 22  # an output times 2^22 is below 2^30


def most_thresholds(
    sums: MonotoneSums, others: Channels, shifts: Sequence[Shift], most: float
) -> tuple[Thresholds, Channels] | None:
    """Thresholds for most channels of a layer, and a mask of the channels that need another form.

    `sums` are those of the channels not in `others`, which need another form anyway. None where
    each pair of shifts leaves more than the share `most` of the channels in the mask.
    """
    steps = edges(sums)
    few = steps.moving[:_FEW]
    if _without_room(with_middle(steps, few, steps.middle), few) > len(few) / 2:
        return None
    steps = with_middle(steps, steps.moving, steps.middle)
    best = None
    for left, right in _tried(steps, shifts):
        multiplier, offset, served = _with(steps, left, right)
        own = others.copy()
        own[np.flatnonzero(~others)[~served]] = True
        if own.mean() <= most:
            best = Thresholds(left, right, multiplier[served], offset[served]), own
            most = float(own.mean()) - 1 / len(own)
    return best


def _without_room(steps: Steps, some: Ints) -> int:
    return int(np.count_nonzero(steps.room[some] <= 0))


def _tried(steps: Steps, shifts: Sequence[Shift]) -> Iterator[tuple[int, int]]:
    """Pairs of shifts to try; pairs for which kernels already have functions come first."""
    largest = int(max(np.abs(steps.low).max(), np.abs(steps.high).max(), 1))
    possible = [shift for shift in shifts if largest << shift[0] < 1 << 31]
    yield from ((left, right) for left, right in possible if right is not None)
    for left in [left for left, right in possible if right is None][:_LEFTS]:
        rights = np.unique(_right_shifts(steps, left)[steps.moving])
        yield from ((left, right) for right in rights[rights > 0][:_RIGHTS].tolist())


def _right_shifts(steps: Steps, left: int) -> Ints:
    """Largest right shift with which each channel's constants are in range."""
    widest = np.maximum(np.abs(steps.low), np.abs(steps.high)).astype(np.float64)
    slope = np.maximum(steps.middle, np.finfo(np.float64).tiny)
    values = 2 * slope * widest + 2 * HIGHEST
    of_multiplier = np.floor(30.99 - np.log2(slope)) - 32 + left
    found = np.minimum(of_multiplier, np.floor(30 - np.log2(values)))
    return np.asarray(np.minimum(found, _LARGEST_RIGHT), np.int64)


def _with(
    steps: Steps, left: int, right: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], Channels]:
    """Multipliers and offsets with a pair of shifts, and a mask of channels with constants."""
    fits = (_right_shifts(steps, left) >= right) & (steps.room > 0)
    some = steps.moving[fits[steps.moving]]
    served: Channels = np.ones(len(steps.at), np.bool_)
    served[steps.moving] = False
    multiplier = np.zeros(len(steps.at), np.int64)
    offset = steps.constant << right
    if some.size:
        found = chosen_constants(replace(steps, moving=some), some, left, right)
        multiplier[some], offset[some] = found
        served[some] = found[0] != 0
    return multiplier.astype(np.int32), offset.astype(np.int32), served


def by_blocks(some: Channels, size: int) -> Channels:
    """Mask of all channels in blocks of `size` channels that have a channel of the mask `some`."""
    blocks = np.pad(some, (0, -len(some) % size)).reshape(-1, size)
    return np.repeat(blocks.any(axis=1), size)[: len(some)]


def mixed_rows(
    thresholds: NDArray[np.int32], others: NDArray[np.int32], own: Channels
) -> NDArray[np.int32]:
    """Table with a row for each channel, padded, where a row of an `own` channel gives the distance
    to its row in `others`, three words each at the table's end.
    """
    table = np.zeros((-(-len(own) // ROWS) * ROWS, 2), np.int32)
    (channels,) = np.nonzero(own)
    table[np.flatnonzero(~own)] = thresholds
    bytes_to_others = 8 * (len(table) - channels) + 12 * np.arange(len(channels))
    table[channels] = np.stack([np.full(len(channels), -1), bytes_to_others], axis=1)
    words = np.pad(others.ravel(), (0, -others.size % (2 * ROWS)))
    return np.concatenate([table, words.reshape(-1, 2)])

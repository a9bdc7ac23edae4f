"""Requantisation as one multiplication, one addition and one shift, proved by thresholds.

An int8 output is a step function of the sum of products p = Σ w·x of a channel: it never falls,
and has at most 255 steps. With t(y) the least p whose output is y or more,

    (p·2^left·m + r·2^32) >> (32 + right), clamped to int8

is the same output for every p that can be reached exactly when it reaches each y at t(y) and not
before:

    t(y)·2^left·m     + r·2^32 >= y·2^(32 + right)   and
    (t(y)-1)·2^left·m + r·2^32 <  y·2^(32 + right)   for every y that a step reaches.

Nor may the least p give less than its output, and the greatest more, unless a clamp hides it. These
are half planes in m and r. The multiplier in their middle is found in floating point; then
whole numbers near it are tried, and what is chosen is checked against every half plane in whole
numbers. r carries the bias, the zero points and the rounding: the sums start at zero. `left` and
`right` are the same for all channels, since instructions have them as immediates. On Arm this is
SMMLA and SSAT with its shift, after LSL where left is not already in the sums.

Q31 double rounding and the rounding of doubles to nearest have such m and r for nearly all
channels whose outputs do not go through zero before the zero point is added, as after a ReLU.
Where they do, Q31's steps jump by one unit at zero, and mostly there are none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LOWEST, HIGHEST = -128, 127  # what SSAT clamps to
OUTPUTS = np.arange(LOWEST, HIGHEST + 1, dtype=np.int64)[None, :]
_NEAR = (64, 1024)  # how far from the middle multipliers are tried
_NEAR_GUESS = 3  # sums between a step and where the slope leads
_AT_ONCE = 2048  # channels times how far multipliers are from the middle: half planes fit a cache
_BINDING = 12  # half planes that decide near the middle
_STEPS = 64  # towards the middle; mostly less than ten are needed
_LIMIT = 1 << 30  # of a value before its shift
_NEVER = np.iinfo(np.int64).max >> 1

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sums:
    """What has to be requantised, by channel."""

    low: Ints  # the least sum of products that inputs can give
    high: Ints  # the greatest
    output: Callable[[Ints], Ints]  # of [channels][any] sums, clamped: it never falls
    slope: NDArray[np.float64]  # about how much the output grows with a sum
    start: NDArray[np.float64]  # about what a sum of 0 gives, were it not clamped
    clamp: tuple[int, int] = (LOWEST, HIGHEST)  # what the outputs are clamped to


@dataclass(frozen=True)
class Thresholds:
    """The constants of all channels. A channel that is constant has multiplier 0."""

    left: int
    right: int
    multiplier: NDArray[np.int32]
    offset: NDArray[np.int32]

    def table(self, multiple: int) -> NDArray[np.int32]:
        """[channel][2], multiplier and offset; with zeros up to a multiple of so many channels."""
        rows = -len(self.multiplier) % multiple
        return np.pad(np.stack([self.multiplier, self.offset], axis=1), ((0, rows), (0, 0)))

    def stored(self) -> bytes:
        """All of it, for `of_stored`."""
        shifts = np.array([self.left, self.right])
        return np.concatenate([shifts, self.multiplier, self.offset]).astype("<i4").tobytes()

    @classmethod
    def of_stored(cls, stored: bytes) -> Thresholds | None:
        """What was stored; None of nothing."""
        if not stored:
            return None
        (left, right), rest = np.split(np.frombuffer(stored, "<i4").astype(np.int32), [2])
        return cls(int(left), int(right), *np.split(rest, 2))


@dataclass(frozen=True)
class Steps:
    """Half planes by channel and y. Where a step reaches y there are both."""

    at: Ints  # [channel][y - LOWEST]: t(y)
    reached: NDArray[np.bool_]  # whether t(y) has to give y or more
    before: NDArray[np.bool_]  # whether t(y) - 1 has to give less
    constant: Ints  # the output of a channel without steps
    moving: Ints  # the channels with steps
    low: Ints
    high: Ints
    middle: NDArray[np.float64]  # the slope with the most room


def threshold_requantization(steps: Steps, lefts: range) -> Thresholds | None:
    """The constants with the first of these shifts that has some, or None where none has."""
    largest = int(max(np.abs(steps.low).max(), np.abs(steps.high).max(), 1))
    fitting = (left for left in lefts if largest << left < 1 << 31)
    return next(filter(None, (_search(steps, left) for left in fitting)), None)


def steps_of(sums: Sums) -> Steps | None:
    """The steps of each channel; None where no slope has room for all steps of some channel."""
    first, last = sums.output(sums.low[:, None]), sums.output(sums.high[:, None])
    taken = (first < OUTPUTS) & (last >= OUTPUTS)
    begins = (first == OUTPUTS) & (first > sums.clamp[0])
    ends = (last + 1 == OUTPUTS) & (last < sums.clamp[1])
    at = np.where(taken, _first_sums(sums, taken), 0)
    at = np.where(begins, sums.low[:, None], np.where(ends, sums.high[:, None] + 1, at))
    moving = np.flatnonzero(taken.any(axis=1))
    reached, before = taken | begins, taken | ends
    middle = np.array(sums.slope, np.float64)
    middle[moving], room = _middle(at[moving], reached[moving], before[moving], middle[moving])
    if np.any(room <= 0):
        return None
    return Steps(at, reached, before, first[:, 0], moving, sums.low, sums.high, middle)


def _first_sums(sums: Sums, taken: NDArray[np.bool_]) -> Ints:
    """t(y) of every y that is taken, by bisection: where the slope leads, else over all sums."""
    low, high = sums.low[:, None], sums.high[:, None]
    per_output = 1 / np.maximum(sums.slope, 2.0**-62)[:, None]
    guess = np.clip((OUTPUTS - 0.5 - sums.start[:, None]) * per_output, low, high)
    below = np.maximum(guess.astype(np.int64) - _NEAR_GUESS, low)
    above = np.minimum(guess.astype(np.int64) + _NEAR_GUESS, high)
    below = np.where(sums.output(np.maximum(below - 1, low)) >= OUTPUTS, low, below)
    above = np.where(sums.output(above) < OUTPUTS, high, above)
    return bisected(sums.output, OUTPUTS, np.where(taken, below, above), above)


def bisected(output: Callable[[Ints], Ints], wanted: Ints, below: Ints, above: Ints) -> Ints:
    """The least sum in [below, above] that gives the wanted output, or `above`.

    `output` takes [channels][any] sums and never falls.
    """
    wanted, below, above = (part.copy() for part in np.broadcast_arrays(wanted, below, above))
    while True:
        (left,) = np.nonzero((below < above).any(axis=0))
        if not left.size:
            return above
        low, high = below[:, left], above[:, left]
        between = (low + high) >> 1
        reached = output(between) >= wanted[:, left]
        above[:, left] = np.where(reached, between, high)
        below[:, left] = np.where(reached, low, np.minimum(between + 1, high))


def _middle(
    at: Ints,
    reached: NDArray[np.bool_],
    before: NDArray[np.bool_],
    slope: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The slope whose room for an offset is largest, and that room: a concave function's top.

    The room is made of straight lines. Where those at two slopes meet is the next slope, until the
    room there is on one of them: that is the top.
    """
    room = _Room(at, reached, before)
    left, right = room(slope * (1 - 2**-6)), room(slope * (1 + 2**-6))
    for _ in range(_STEPS):
        (low, below, rise), (high, above, fall) = left, right
        bend = np.where(rise > fall, rise - fall, np.inf)
        meet = low + np.maximum(above - below - fall * (high - low), 0) / bend
        meet = np.where(rise <= 0, low, np.where(fall >= 0, high, np.clip(meet, low, high)))
        if np.all((meet == low) | (meet == high)):
            break
        here = room(meet)
        rises = here[2] > 0
        left, right = np.where(rises, here, left), np.where(rises, right, here)
    slope, value, _ = np.where(left[1] > right[1], left, right)
    return slope, value


class _Room:
    """How much room the half planes of each channel leave for an offset, by slope."""

    def __init__(self, at: Ints, reached: NDArray[np.bool_], before: NDArray[np.bool_]) -> None:
        self._steps = at.astype(np.float64)
        self._least = np.where(reached, OUTPUTS, -np.inf)
        self._largest = np.where(before, OUTPUTS, np.inf)

    def __call__(self, slope: NDArray[np.float64]) -> NDArray[np.float64]:
        """[3][channel]: the slope, the room there, and how fast it grows."""
        scaled = self._steps * slope[:, None]
        least, largest = self._least - scaled, self._largest - scaled
        low, high = least.argmax(axis=1), largest.argmin(axis=1)
        each = np.arange(len(slope))
        room = largest[each, high] + slope - least[each, low]
        return np.stack([slope, room, self._steps[each, low] - self._steps[each, high] + 1])


def _search(steps: Steps, left: int) -> Thresholds | None:
    """Multipliers and offsets for this shift, or None where a channel has none."""
    moving = steps.moving
    right = _right_shift(steps, moving, left)
    if right < 1:
        return None
    multiplier = np.zeros(len(steps.at), np.int64)
    offset = steps.constant << right
    for near in _NEAR:
        for some in np.array_split(moving, max(-(-len(moving) * near // _AT_ONCE), 1)):
            multiplier[some], offset[some] = _chosen(steps, some, left, right, near)
        moving = moving[multiplier[moving] == 0]
        if not moving.size:
            return Thresholds(left, right, multiplier.astype(np.int32), offset.astype(np.int32))
    return None


def _right_shift(steps: Steps, moving: Ints, left: int) -> int:
    """The largest with which multipliers and values before the shift are in range."""
    if not moving.size:
        return 1
    steepest = float(steps.middle[moving].max())
    widest = np.maximum(np.abs(steps.low), np.abs(steps.high)).astype(np.float64)
    values = 2 * float((steps.middle * widest).max()) + 2 * HIGHEST
    multiplier = int(np.floor(30.99 - np.log2(steepest))) - 32 + left
    return min(multiplier, int(np.floor(np.log2(_LIMIT / values))), 30)


def _chosen(steps: Steps, some: Ints, left: int, right: int, near: int) -> tuple[Ints, Ints]:
    """The multiplier and the offset of some channels; multiplier 0 where there are none."""
    at = steps.at[some]
    outputs = np.broadcast_to(OUTPUTS, at.shape)
    planes = _Planes(at, steps.reached[some], steps.before[some], outputs, left, right)
    nominal = np.rint(np.ldexp(steps.middle[some], 32 + right - left)).astype(np.int64)[:, None]
    tried = nominal + np.array(sorted(range(-near, near + 1), key=abs), np.int64)
    middle = nominal[:, None]
    low = planes.some(np.argsort(-planes.least(middle)[..., 0], axis=1)[:, :_BINDING])
    high = planes.some(np.argsort(planes.largest(middle)[..., 0], axis=1)[:, :_BINDING])
    each = tried[:, None, :]
    room = high.largest(each).min(axis=1) - low.least(each).max(axis=1)
    best = np.where((tried > 0) & (tried < 1 << 31), room, -_NEVER).argmax(axis=1)[:, None]
    multiplier = np.take_along_axis(tried, best, 1)
    chosen, m = multiplier[:, None], multiplier[:, 0]
    below, above = (
        planes.least(chosen)[..., 0].max(axis=1),
        planes.largest(chosen)[..., 0].min(axis=1),
    )
    offset = (below + above) >> 1
    fits = (below <= above) & (m > 0) & (m < 1 << 31)
    for end in (np.zeros(len(some), np.int64), steps.low[some], steps.high[some]):
        fits &= np.abs(offset + ((end * m << left) >> 32)) < _LIMIT
    return np.where(fits, m, 0), np.where(fits, offset, 0)


@dataclass(frozen=True)
class _Planes:
    """Half planes of channels: for each multiplier they bound the offset."""

    at: Ints
    reached: NDArray[np.bool_]
    before: NDArray[np.bool_]
    outputs: Ints
    left: int
    right: int

    def least(self, multipliers: Ints) -> Ints:
        """[channel][half plane][multiplier], of [channel][1][multiplier]: the least offsets."""
        found = self._beyond(self.at, multipliers)
        np.negative(found, out=found)
        return _where(self.reached, found, -_NEVER)

    def largest(self, multipliers: Ints) -> Ints:
        """The largest offsets, the same way."""
        found = self._beyond(self.at - 1, multipliers)
        np.invert(found, out=found)
        return _where(self.before, found, _NEVER)

    def _beyond(self, sums: Ints, multipliers: Ints) -> Ints:
        """How far sums are beyond their outputs, in units of offsets, rounded down."""
        found = sums[..., None] * (multipliers << self.left)
        found -= (self.outputs << (32 + self.right))[..., None]
        found >>= 32
        return found

    def some(self, which: Ints) -> _Planes:
        """The half planes with these indices, by channel."""
        parts = (self.at, self.outputs)
        at, outputs = (np.take_along_axis(part, which, 1) for part in parts)
        reached, before = (
            np.take_along_axis(part, which, 1) for part in (self.reached, self.before)
        )
        return _Planes(at, reached, before, outputs, self.left, self.right)


def _where(mask: NDArray[np.bool_], found: Ints, other: int) -> Ints:
    """What was found for [channel][half plane] in the mask, and another number outside."""
    if not mask.all():
        found[~mask] = other
    return found

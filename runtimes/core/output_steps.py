"""Steps of the outputs of a requantisation, and the slope of the straight line to which the steps
leave most room.

An int8 output is a step function of the sum of products p = Σ w·x of a channel: it never falls, and
has at most 255 steps. t(y) is the least p whose output is y or more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

LOWEST, HIGHEST = -128, 127  # what SSAT clamps to
OUTPUTS = np.arange(LOWEST, HIGHEST + 1, dtype=np.int64)[None, :]
_NEAR_GUESS = 3  # sums between a step and its guess, where the guess is off
_TRIES = 64  # slopes on the way to the middle; mostly less than ten are needed
_AT_ONCE = 128  # channels whose half planes are in memory at once
_ELEMENTS = 1 << 16  # sums whose outputs are

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MonotoneSums:
    """Sums of each channel to requantise: their range, and their output as a function."""

    low: Ints  # the least sum of products that inputs can give
    high: Ints  # the greatest
    output: Callable[[Ints], Ints]  # of [channels][any] sums, clamped: it never falls
    slope: Floats  # about how much the output grows with a sum
    guess: Floats | Ints  # [channels][y - LOWEST]: about t(y); the nearer, the sooner it is found
    clamp: tuple[int, int] = (LOWEST, HIGHEST)  # what the outputs are clamped to
    certain: bool = False  # the guess is t(y) for every y that a step reaches


@dataclass(frozen=True, eq=False)  # compared by identity
class Steps:
    """Half planes by channel and output y, which bound the slope and offset of a line. A step that
    reaches y gives two half planes.
    """

    at: Ints  # [channel][y - LOWEST]: t(y)
    reached: NDArray[np.bool_]  # whether t(y) has to give y or more
    before: NDArray[np.bool_]  # whether t(y) - 1 has to give less
    constant: Ints  # the output of a channel without steps
    moving: Ints  # the channels with steps, those with the least room first
    low: Ints
    high: Ints
    middle: Floats  # the slope with the most room
    room: Floats  # for an offset there

    def moved(self, more: Ints) -> Steps:
        """Steps for sums that are larger by `more` in each channel."""
        at, low, high = self.at + more[:, None], self.low + more, self.high + more
        return replace(self, at=at, low=low, high=high)


def steps_of(sums: MonotoneSums) -> Steps | None:
    """Steps of each channel with middle slopes; None where no slope has room for all."""
    every = edges(sums)
    middle, room, moving = np.array(sums.slope, np.float64), every.room.copy(), every.moving
    for start in range(0, len(moving), _AT_ONCE):
        some = moving[start : start + _AT_ONCE]
        middle[some], room[some] = _middles(every, some, middle[some])
        if np.any(room[some] <= 0):
            return None
    moving = moving[np.argsort(room[moving], kind="stable")]
    return replace(every, moving=moving, middle=middle, room=room)


def with_middle(steps: Steps, some: Ints, slope: Floats) -> Steps:
    """Steps with new middle slopes and room for channels `some`, found from slopes `slope`."""
    middle, room = steps.middle.copy(), steps.room.copy()
    for start in range(0, len(some), _AT_ONCE):
        part = some[start : start + _AT_ONCE]
        planes = steps.at[part], steps.reached[part], steps.before[part]
        middle[part], room[part] = middles(*planes, slope[part])
    return replace(steps, middle=middle, room=room)


def _middles(steps: Steps, some: Ints, slope: Floats) -> tuple[Floats, Floats]:
    return middles(steps.at[some], steps.reached[some], steps.before[some], slope, every=False)


def edges(sums: MonotoneSums) -> Steps:
    """Steps of each channel with the approximate slopes of `sums`, and no room computed."""
    ends_of_sums = sums.output(np.stack([sums.low, sums.high], axis=1))
    first, last = ends_of_sums[:, :1], ends_of_sums[:, 1:]
    taken = (first < OUTPUTS) & (last >= OUTPUTS)
    begins = (first == OUTPUTS) & (first > sums.clamp[0])
    ends = (last + 1 == OUTPUTS) & (last < sums.clamp[1])
    at = _first_sums(sums, taken)
    np.copyto(at, 0, where=~taken)
    np.copyto(at, sums.high[:, None] + 1, where=ends)
    np.copyto(at, sums.low[:, None], where=begins)
    moving = np.flatnonzero(taken.any(axis=1))
    reached, before = taken | begins, taken | ends
    slope, room = np.array(sums.slope, np.float64), np.zeros(len(at))
    constant = first[:, 0]
    return Steps(at, reached, before, constant, moving, sums.low, sums.high, slope, room)


def _first_sums(sums: MonotoneSums, taken: NDArray[np.bool_]) -> Ints:
    """t(y) of every y in the mask `taken`: the guess where right, else by bisection near it."""
    low, high = sums.low[:, None], sums.high[:, None]
    guess = np.minimum(np.maximum(sums.guess, low + 1), np.maximum(high, low + 1))
    guess = guess.astype(np.int64, copy=False)
    if sums.certain:
        return guess
    right, step = np.empty(guess.shape, np.bool_), max(_ELEMENTS // len(guess), 1)
    for start in range(0, guess.shape[1], step):
        some, wanted = guess[:, start : start + step], OUTPUTS[:, start : start + step]
        reached = (sums.output(some) >= wanted) & (sums.output(some - 1) < wanted)
        right[:, start : start + step] = reached
    (off,) = np.nonzero((taken & ~right).any(axis=0))
    if off.size:
        guess[:, off] = _found_near(sums, guess[:, off], OUTPUTS[:, off], taken[:, off])
    return guess


def _found_near(sums: MonotoneSums, guess: Ints, wanted: Ints, taken: NDArray[np.bool_]) -> Ints:
    """t(y) of the outputs `wanted` by bisection: near the guess, else over all sums."""
    low, high = sums.low[:, None], sums.high[:, None]
    below = np.maximum(guess - _NEAR_GUESS, low)
    above = np.minimum(guess + _NEAR_GUESS, high)
    below = np.where(sums.output(np.maximum(below - 1, low)) >= wanted, low, below)
    above = np.where(sums.output(above) < wanted, high, above)
    return bisected(sums.output, wanted, np.where(taken, below, above), above)


def bisected(output: Callable[[Ints], Ints], wanted: Ints, below: Ints, above: Ints) -> Ints:
    """Least sum in [below, above] that gives the wanted output or more, or `above`.

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


def middles(
    at: Ints,
    reached: NDArray[np.bool_],
    before: NDArray[np.bool_],
    slope: Floats,
    *,
    every: bool = True,
) -> tuple[Floats, Floats]:
    """Slope that leaves an offset the most room, and that room: the top of a concave function, for
    each channel.

    The room is piecewise linear in the slope. The lines at two slopes meet at the next slope, until
    the room there lies on one of both lines: the top. Unless `every` channel matters, a channel
    whose lines meet far below zero ends the search for all, since one without room leaves the layer
    none.
    """
    room = _Room.of(at, reached, before)
    left, right = room(slope * (1 - 2**-6)), room(slope * (1 + 2**-6))
    top, some = np.empty((2, len(at))), np.arange(len(at))
    hopeless = -(2.0**-40) * np.maximum(256, slope * np.abs(at).max())  # beyond rounding errors
    for _ in range(_TRIES):
        (low, below, rise), (high, above, fall) = left, right
        bend = np.where(rise > fall, rise - fall, np.inf)
        meet = low + np.maximum(above - below - fall * (high - low), 0) / bend
        meet = np.minimum(np.maximum(meet, low), high)
        meet = np.where(rise <= 0, low, np.where(fall >= 0, high, meet))
        on_line = (meet == low) | (meet == high)
        done = np.count_nonzero(on_line)
        if done == len(some):
            break
        if not every and (below + rise * (meet - low) < hopeless[some]).any():
            break
        here = room(meet)
        rises = here[2] > 0
        left, right = np.where(rises, here, left), np.where(rises, right, here)
        if 2 * done > len(some):
            top[:, some[on_line]] = _higher(left[:, on_line], right[:, on_line])
            moving = ~on_line
            left, right, some = left[:, moving], right[:, moving], some[moving]
            room = room.only(moving)
    top[:, some] = _higher(left, right)
    return top[0], top[1]


def _higher(left: Floats, right: Floats) -> Floats:
    """[2][channel]: of two slopes and their rooms, the pair with more room."""
    return np.where(left[1] > right[1], left[:2], right[:2])


@dataclass(frozen=True, eq=False)
class _Room:
    """Room that the half planes of each channel leave for an offset, as a function of the slope."""

    least: tuple[Floats, Floats]  # the steps that bound it from below, and their outputs
    largest: tuple[Floats, Floats]  # from above

    @staticmethod
    def of(at: Ints, reached: NDArray[np.bool_], before: NDArray[np.bool_]) -> _Room:
        """Room for an offset that these half planes leave."""
        (which,) = np.nonzero((reached | before).any(axis=0))
        some = slice(which[0], which[-1] + 1)
        at, reached, before = at[:, some], reached[:, some], before[:, some]
        least = _decided(at, reached, OUTPUTS[:, some])
        alike = np.array_equal(reached, before)
        return _Room(least, least if alike else _decided(at, before, OUTPUTS[:, some]))

    def only(self, channels: NDArray[np.bool_]) -> _Room:
        """Room of the channels in a mask."""
        steps, outputs = self.least
        least = steps[channels], outputs[channels]
        if self.largest is self.least:
            return _Room(least, least)
        steps, outputs = self.largest
        return _Room(least, (steps[channels], outputs[channels]))

    def __call__(self, slope: Floats) -> Floats:
        """[3][channel]: slope, the room at that slope, and the derivative of the room."""
        each, bounds = np.arange(len(slope)), _bounds(slope, *self.least)
        low = bounds.argmax(axis=1)
        least = bounds[each, low]
        if self.largest is not self.least:
            bounds = _bounds(slope, *self.largest)
        high = bounds.argmin(axis=1)
        room = bounds[each, high] + slope - least
        rise = self.least[0][each, low] - self.largest[0][each, high] + 1
        return np.array([slope, room, rise])


def _bounds(slope: Floats, steps: Floats, outputs: Floats) -> Floats:
    """Offsets with which the line reaches output y at each step."""
    scaled = steps * slope[:, None]
    return np.subtract(outputs, scaled, out=scaled)


def _decided(at: Ints, deciding: NDArray[np.bool_], outputs: Ints) -> tuple[Floats, Floats]:
    """Steps with a half plane, and their outputs; a step without one is replaced by the channel's
    first.
    """
    steps, same = at.astype(np.float64), outputs.astype(np.float64)
    if deciding.all():
        return steps, np.broadcast_to(same, at.shape)
    first = deciding.argmax(axis=1)
    again = ~deciding
    np.copyto(steps, steps[np.arange(len(at)), first][:, None], where=again)
    decided = np.repeat(same, len(at), axis=0)
    np.copyto(decided, same[0, first][:, None], where=again)
    return steps, decided

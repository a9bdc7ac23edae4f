"""Requantisation as one multiplication, one addition and one shift, proved by thresholds.

An int8 output is a step function of the sum of products p = Σ w·x of a channel: it never falls,
and has at most 255 steps. With t(y) the least p whose output is y or more,

    (p·2^left·m + r·2^32) >> (32 + right), clamped to int8

is the same output for every p that can be reached exactly when it reaches each y at t(y) and not
before:

    t(y)·2^left·m     + r·2^32 >= y·2^(32 + right)   and
    (t(y)-1)·2^left·m + r·2^32 <  y·2^(32 + right)   for every y that a step reaches.

Nor may the least p give less than its output, and the greatest more, unless a clamp hides it. These
are half planes in m and r. The multiplier in their middle is found in floating point; then integers
near it are tried, and what is chosen is checked against every half plane in integers. r carries the
bias, the zero points and the rounding: the sums start at zero. `left` and `right` are the same for
all channels, since instructions have them as immediates. On Arm this is SMMLA and SSAT with its
shift, after LSL where left is not already in the sums.

Q31 double rounding and the rounding of doubles to nearest have such m and r for nearly all
channels whose outputs do not go through zero before the zero point is added, as after a ReLU.
Where they do, Q31's steps jump by one unit at zero, and mostly there are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from runtimes.core.output_steps import HIGHEST, OUTPUTS, Ints, Steps

_NEAR = (64, 1024)  # how far from the middle multipliers are tried
_AT_ONCE = 128  # channels whose half planes fit a cache
_BINDING = 12  # half planes that decide near the middle
_LIMIT = 1 << 30  # of a value before its shift
_NEVER = np.iinfo(np.int64).max >> 1


# A left shift, and a right one or None for the largest that is possible.
Shift = tuple[int, int | None]

# What was found for steps, by shift: kernels of one node ask for several.
_KNOWN: WeakKeyDictionary[Steps, dict[Shift, Thresholds | None]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Thresholds:
    """Constants of all channels of a layer; a channel with constant output has multiplier 0."""

    left: int
    right: int
    multiplier: NDArray[np.int32]
    offset: NDArray[np.int32]

    def table(self) -> NDArray[np.int32]:
        """[channel][2]: multiplier and offset."""
        return np.stack([self.multiplier, self.offset], axis=1)


def threshold_requantization(steps: Steps, shifts: Sequence[Shift]) -> Thresholds | None:
    """Constants with the first of these shifts for which every channel has constants, or None."""
    largest = int(max(np.abs(steps.low).max(), np.abs(steps.high).max(), 1))
    known = _KNOWN.setdefault(steps, {})
    for shift in (shift for shift in shifts if largest << shift[0] < 1 << 31):
        found = known[shift] if shift in known else _search(steps, *shift)
        known[shift] = found
        if found is not None:
            return found
    return None


def chosen_constants(steps: Steps, some: Ints, left: int, right: int) -> tuple[Ints, Ints]:
    """Multipliers and offsets of the channels `some` for a pair of shifts; 0 without one."""
    found = np.zeros((2, len(some)), np.int64)
    for start in range(0, len(some), _AT_ONCE):
        part, missing = slice(start, start + _AT_ONCE), some[start : start + _AT_ONCE]
        found[:, part] = _chosen(steps, missing, left, right, _NEAR[0])
    return found[0], found[1]


def largest_right_shift(steps: Steps, left: int) -> int:
    """Largest right shift with which multipliers and intermediate values are in range."""
    return _right_shift(steps, steps.moving, left)


def _search(steps: Steps, left: int, right: int | None) -> Thresholds | None:
    """Thresholds of all channels for a pair of shifts, or None where a channel has none."""
    moving = steps.moving
    largest, given = _right_shift(steps, moving, left), right is not None
    right = largest if right is None else right
    if not 1 <= right <= largest:
        return None
    multiplier = np.zeros(len(steps.at), np.int64)
    offset = steps.constant << right
    for start in range(0, len(moving), _AT_ONCE):
        some = moving[start : start + _AT_ONCE]
        for near in _NEAR[:1] if given else _NEAR:
            multiplier[some], offset[some] = _chosen(steps, some, left, right, near)
            some = some[multiplier[some] == 0]
            if not some.size:
                break
        else:
            return None
    return Thresholds(left, right, multiplier.astype(np.int32), offset.astype(np.int32))


def _right_shift(steps: Steps, moving: Ints, left: int) -> int:
    """Largest right shift with multipliers, and values before it, of channels `moving` in range."""
    if not moving.size:
        return 1
    steepest = float(steps.middle[moving].max())
    widest = np.maximum(np.abs(steps.low), np.abs(steps.high)).astype(np.float64)
    values = 2 * float((steps.middle * widest).max()) + 2 * HIGHEST
    multiplier = int(np.floor(30.99 - np.log2(steepest))) - 32 + left
    return min(multiplier, int(np.floor(np.log2(_LIMIT / values))), 30)


def _chosen(steps: Steps, some: Ints, left: int, right: int, near: int) -> tuple[Ints, Ints]:
    """Multipliers and offsets of the channels `some`; multiplier 0 where a channel has none."""
    planes = _Planes.of(steps, some, right, left)
    nominal = np.rint(np.ldexp(steps.middle[some], 32 + right - left)).astype(np.int64)
    apart = np.array(sorted(range(-near, near + 1), key=abs), np.int64)
    tried = nominal[:, None] + apart
    least, largest = planes.bounds(nominal)
    np.negative(least, out=least)
    least = planes.nearby(nominal, apart, planes.binding(least, near), 0)
    largest = planes.nearby(nominal, apart, planes.binding(largest, near), 1)
    room = np.where((tried > 0) & (tried < 1 << 31), largest - least, -_NEVER)
    m = tried[np.arange(len(some)), room.argmax(axis=1)]
    least, largest = planes.bounds(m)
    below, above = least.max(axis=1), largest.min(axis=1)
    offset = (below + above) >> 1
    fits = (below <= above) & (m > 0) & (m < 1 << 31)
    for end in (np.zeros(len(some), np.int64), steps.low[some], steps.high[some]):
        fits &= np.abs(offset + ((end * m << left) >> 32)) < _LIMIT
    return np.where(fits, m, 0), np.where(fits, offset, 0)


@dataclass(frozen=True)
class _Planes:
    """Half planes, a row for each channel, which bound the offset for each multiplier."""

    at: Ints
    wanted: Ints  # the outputs, in units of products
    free_below: NDArray[np.bool_]  # those that bound no offset from below
    free_above: NDArray[np.bool_]
    span: Ints  # no two steps are further apart
    left: int
    first: int  # the number of the first output

    @staticmethod
    def of(steps: Steps, some: Ints, right: int, left: int) -> _Planes:
        """Half planes of the channels `some`, from the first output that has one to the last."""
        reached, before = steps.reached[some], steps.before[some]
        (which,) = np.nonzero((reached | before).any(axis=0))
        has = slice(which[0], which[-1] + 1)
        return _Planes(
            steps.at[some, has],
            OUTPUTS[:, has] << (32 + right),
            ~reached[:, has],
            ~before[:, has],
            steps.high[some] - steps.low[some] + 1,
            left,
            int(which[0]),
        )

    def bounds(self, multipliers: Ints) -> tuple[Ints, Ints]:
        """Least and largest offset that each half plane allows, with a multiplier per channel."""
        each = (multipliers << self.left)[:, None]
        beyond = self.at * each
        beyond -= self.wanted
        before = beyond - each
        beyond >>= 32  # in units of offsets, rounded down
        before >>= 32
        np.negative(beyond, out=beyond)
        np.copyto(beyond, -_NEVER, where=self.free_below)
        np.invert(before, out=before)
        np.copyto(before, _NEVER, where=self.free_above)
        return beyond, before

    def binding(self, bounds: Ints, near: int) -> tuple[Ints, Ints]:
        """Half planes whose bounds may be the least for multipliers up to `near` away, mostly no
        more than decide: their channels, in order, and their outputs.
        """
        each, best = np.arange(len(bounds)), bounds.argmin(axis=1)
        least, nearest = bounds[each, best] + 3, self.at[each, best]  # all of them are rounded
        widest = least + (self.span * (near << self.left) >> 32)
        flat = np.flatnonzero(bounds <= widest[:, None])
        channels, which = np.divmod(flat, bounds.shape[1])
        apart = np.abs(self.at.ravel()[flat] - nearest[channels]) * (near << self.left)
        flat = flat[bounds.ravel()[flat] <= (apart >> 32) + least[channels]]
        channels, which = np.divmod(flat, bounds.shape[1])
        many = np.flatnonzero(np.bincount(channels) > _BINDING)
        if many.size:
            kept = np.ones(bounds.shape, np.bool_)
            kept[many] = False
            kept[many[:, None], self._fewest(bounds[many])] = True
            may_bind = kept.ravel()[flat]
            channels, which = channels[may_bind], which[may_bind]
        return channels, which

    def _fewest(self, bounds: Ints) -> Ints:
        """Half planes of each channel with the least bounds, a fixed number of each."""
        every = np.full((len(bounds), OUTPUTS.size), np.iinfo(np.int64).max)  # beyond _NEVER
        every[:, self.first : self.first + bounds.shape[1]] = bounds
        return np.argpartition(every, _BINDING, axis=1)[:, :_BINDING] - self.first

    def nearby(self, nominal: Ints, apart: Ints, binding: tuple[Ints, Ints], above: int) -> Ints:
        """[channel][multiplier]: least offsets, or the largest for `above`, that the binding half
        planes allow with multipliers `apart` from the nominal ones.
        """
        channels, which = binding
        at = self.at[channels, which] - above << self.left
        beyond = at * nominal[channels] - self.wanted[0, which]
        if above:
            some = _lowest(channels, -at, -beyond, int(apart[-1]))
        else:
            some = _lowest(channels, at, beyond, int(apart[-1]))
        spread = at[some, None] * apart
        spread += beyond[some, None]
        spread >>= 32
        begins = np.searchsorted(channels[some], np.arange(len(nominal)))
        if above:
            return np.invert(np.maximum.reduceat(spread, begins))
        return np.negative(np.minimum.reduceat(spread, begins))


def _lowest(channels: Ints, slope: Ints, middle: Ints, near: int) -> Ints:
    """Indices of the lines middle + slope * n that can be the lowest of their channel for an
    integer |n| <= near: lines below the lowest line of one end, at the other end.
    """
    begins = np.searchsorted(channels, np.arange(channels[-1] + 1))
    first, last = middle - slope * near, middle + slope * near
    at_first, at_last = (_least(channels, ends, begins) for ends in (first, last))
    apart = slope[at_first] - slope[at_last]
    meet = (first[at_last] - first[at_first]) // np.maximum(apart, 1) - near
    after = np.minimum(meet + 1, near)
    below = middle + slope * meet[channels] < (middle[at_first] + slope[at_first] * meet)[channels]
    ends = (middle[at_last] + slope[at_last] * after)[channels]
    below |= middle + slope * after[channels] < ends
    below[at_first] = below[at_last] = True
    return np.flatnonzero(below)


def _least(channels: Ints, values: Ints, begins: Ints) -> Ints:
    """Index of the least value of each channel."""
    least = np.flatnonzero(values == np.minimum.reduceat(values, begins)[channels])
    found = np.empty(len(begins), np.int64)
    found[channels[least]] = least
    return found

"""Thresholds of one multiplication with exceptions: sums whose outputs the multiplication misses by
one.

A product that is rounded to single precision, and then to the nearest integer with halves to even,
has steps that no straight line gives: near a half, products become that half, and the integer
decides whether it goes up. In such layers, half planes of `threshold_requantization.py` that
conflict are dropped until the rest leave room, and the few sums that the line then gets wrong are
listed. The chosen line is compared with every step again.
"""

from __future__ import annotations

from copy import copy

from opsmith.op import *
from runtimes.core.output_steps import (
    LOWEST,
    OUTPUTS,
    Floats,
    Ints,
    MonotoneSums,
    Steps,
    edges,
    middles,
    with_middle,
)
from runtimes.core.rescaling import OfBytes, Singles
from runtimes.core.threshold_requantization import (
    Shift,
    Thresholds,
    chosen_constants,
    largest_right_shift,
)

_ROUNDS = 200  # half planes that may be left out of a channel
_MOST = 400  # exceptions of a channel
_BINDING = 2  # half planes of each kind that may be dropped next
_AT_ONCE = 64  # channels after several drops whose constants are looked for at once
_LAST = 0x7FFFFFFF  # behind all exceptions
PER_ONE = 9.0  # instructions of an exception for an element of y
# that kernels with exceptions take less than fixed_point.h or, by scales, single.h
_SAVED_OF_A_WEIGHT, _SAVED_OF_A_SUM = 6.5, (20.0, 150.0)
_FEW = 16  # channels for each exception, where no other shifts are tried
MANY_EXCEPTIONS = Refused("the exceptions of its sums take longer than kernels without")
ROWS = 8  # multiple of rows that exceptions follow, which no kernel fills up any further


@dataclass(frozen=True)
class ExceptedThresholds:
    """Thresholds of all channels, and their exceptions in rising order of channels."""

    thresholds: Thresholds
    exceptions: NDArray[np.int32]  # [any][2]: a sum, and `rest` of channel_constants.h

    def table(self) -> NDArray[np.int32]:
        """Table: rows of channels, padded, of exceptions, and a last with a channel beyond all."""
        channels = self.thresholds.table()
        filled = np.pad(channels, ((0, -len(channels) % ROWS), (0, 0)))
        return np.concatenate([filled, self.exceptions, np.array([[0, _LAST]], np.int32)])


def most_exceptions(weights: Array, rescaling: OfBytes) -> int:
    """Number of exceptions beyond which a layer takes longer than by a kernel without exceptions;
    weights have a row for each channel.
    """
    saved = _SAVED_OF_A_WEIGHT * weights.size
    saved += _SAVED_OF_A_SUM[isinstance(rescaling, Singles)] * len(weights)
    return int(saved / PER_ONE)


class ExceptionSearch:
    """Search for a layer's constants with exceptions, done once for each pair of shifts that
    kernels try.

    A search ends when more half planes are dropped than exceptions are allowed: as a rule each
    dropped one becomes a sum that the line gets wrong, or several.
    """

    def __init__(self, sums: MonotoneSums, most: int) -> None:
        self._most = most
        self._every = edges(sums)
        self._fitted = _with_room(self._every, sums)
        self._largest = _largest(self._every)
        self._few = len(sums.low) // _FEW
        self._drops = None if self._fitted is None else _Drops(self._fitted)
        self._found: dict[Shift, ExceptedThresholds | None] = {}

    def moved(self, more: Ints) -> ExceptionSearch:
        """Search for sums larger by `more` in each channel, without the dropped half planes."""
        found = copy(self)
        found._every = self._every.moved(more)
        found._fitted = None if self._fitted is None else self._fitted.moved(more)
        found._largest = _largest(found._every)
        found._found = {}
        return found

    def first(self, shifts: Sequence[Shift]) -> ExceptedThresholds | None:
        """Constants with the first of the shifts that leaves few exceptions, or hardly more than
        the best shift; None where no shift serves.
        """
        tried = list[ExceptedThresholds]()
        for shift in dict.fromkeys(shifts):
            found = self._with(shift)
            if found is None:
                continue
            if len(found.exceptions) <= self._few:
                return found
            tried.append(found)
        most = min((len(each.exceptions) for each in tried), default=0) + self._few
        return next((each for each in tried if len(each.exceptions) <= most), None)

    def _with(self, shift: Shift) -> ExceptedThresholds | None:
        """Constants with a pair of left and right shift, or None where some channel has none."""
        if self._drops is None or self._fitted is None:
            return None
        if not self._largest << shift[0] < 1 << 31:
            return None
        if shift not in self._found:
            given = self._every, self._fitted, self._drops
            self._found[shift] = _searched(*given, *shift, self._most)
        return self._found[shift]


def _largest(steps: Steps) -> int:
    """Largest magnitude of a sum."""
    return int(max(np.abs(steps.low).max(), np.abs(steps.high).max(), 1))


def _with_room(every: Steps, sums: MonotoneSums) -> Steps | None:
    """Steps less the half planes that leave no slope room; None if a channel would lose all."""
    steps = with_middle(every, every.moving, sums.slope)
    for _ in range(_ROUNDS):
        tight = steps.moving[steps.room[steps.moving] <= 0]
        if not tight.size:
            return steps
        given = steps.reached.copy(), steps.before.copy(), steps.middle.copy(), steps.room.copy()
        for whole, some in zip(given, _without_tightest(steps, tight), strict=True):
            whole[tight] = some
        reached, before, middle, room = given
        steps = replace(steps, reached=reached, before=before, middle=middle, room=room)
        if not _all_bound(steps, tight):
            return None
    return None


def _all_bound(steps: Steps, channels: Ints) -> bool:
    """True if each of the given channels has a half plane left."""
    return bool((steps.reached | steps.before)[channels].any(axis=1).all())


_Dropped = tuple[NDArray[np.bool_], NDArray[np.bool_], Floats, Floats]


def _without_tightest(steps: Steps, channels: Ints) -> _Dropped:
    """Half planes of the given channels, `reached` and `before`, less one of each channel, and
    their middle slopes and room.

    The half plane dropped is, of those that bind at the old middle, the one whose loss leaves most
    room.
    """
    slope = steps.middle[channels]
    bounds = OUTPUTS - steps.at[channels] * slope[:, None]  # of an offset; slope more, from above
    least = np.where(steps.reached[channels], -bounds, np.inf).argsort(axis=1)[:, :_BINDING]
    largest = np.where(steps.before[channels], bounds, np.inf).argsort(axis=1)[:, :_BINDING]
    left_out = [(kind, one) for kind, of_kind in enumerate((least, largest)) for one in of_kind.T]
    each = np.arange(len(channels))
    planes = np.stack([np.stack([steps.reached[channels], steps.before[channels]])] * len(left_out))
    for number, (kind, one) in enumerate(left_out):
        planes[number, kind, each, one] = False
    reached, before = planes[:, 0], planes[:, 1]
    tries, width = len(left_out), reached.shape[-1]
    at = np.tile(steps.at[channels], (tries, 1))
    of_all = reached.reshape(-1, width), before.reshape(-1, width)
    middle, room = (
        found.reshape(tries, -1) for found in middles(at, *of_all, np.tile(slope, tries))
    )
    best = np.argmax(room, axis=0), each
    return reached[best], before[best], middle[best], room[best]


class _Drops:
    """Steps whose channels have lost some of their half planes, computed once for all shifts."""

    def __init__(self, steps: Steps) -> None:
        self._after = [steps]
        self._known = [np.ones(len(steps.at), np.bool_)]

    def after(self, number: int, channels: Ints) -> Steps:
        """Steps in which at least the given channels have lost a number of half planes, one more
        than in an earlier call for these channels.
        """
        if number == len(self._after):
            of, n = self._after[0], len(self._after[0].at)
            planes = {name: np.zeros_like(vars(of)[name]) for name in ("reached", "before")}
            self._after.append(replace(of, **planes, middle=np.zeros(n), room=np.zeros(n)))
            self._known.append(np.zeros(n, np.bool_))
        found, known = self._after[number], self._known[number]
        if not known[channels].all():
            last = self._after[number - 1]
            new = channels if len(known) > _AT_ONCE else last.moving  # few take as long as one
            new = new[(self._known[number - 1] & ~known)[new]]
            new = new[(last.reached | last.before)[new].any(axis=1)]
            whole = found.reached, found.before, found.middle, found.room
            for values, some in zip(whole, _without_tightest(last, new), strict=True):
                values[new] = some
            known[new] = True
        return found

    def several(self, first: int, channels: Ints) -> list[Steps]:
        """Steps in which the given channels have lost `first` half planes, and one more each: as
        many as are looked at at once, and as long as each channel has a half plane left.
        """
        found = list[Steps]()
        for number in range(first, min(first + max(_AT_ONCE // channels.size, 1), _ROUNDS)):
            steps = self.after(number, channels)
            if not _all_bound(steps, channels):
                break
            found.append(steps)
        return found


def _searched(
    every: Steps, steps: Steps, drops: _Drops, left: int, right: int | None, most: int
) -> ExceptedThresholds | None:
    missing, largest = steps.moving, largest_right_shift(steps, left)
    right = largest if right is None else right
    if not 1 <= right <= largest:
        return None
    multiplier, offset = np.zeros(len(steps.at), np.int64), steps.constant << right
    dropped = left_out = 0
    while missing.size:
        tried = drops.several(dropped, missing)
        if not tried:
            return None
        found = _first_constants(steps, tried, missing, left, right)
        multiplier[missing], offset[missing], needed = found
        missing = missing[found[0] == 0]
        dropped += len(tried)
        left_out += int(needed.sum())
        if left_out > most:
            return None
    given = multiplier.astype(np.int32), offset.astype(np.int32)
    thresholds = Thresholds(left, right, *given)
    exceptions = _exceptions(every, thresholds)
    return None if exceptions is None else ExceptedThresholds(thresholds, exceptions)


def _first_constants(
    steps: Steps, tried: Sequence[Steps], channels: Ints, left: int, right: int
) -> tuple[Ints, Ints, Ints]:
    """Multipliers and offsets of the given channels with the half planes of the first of the tried
    that leaves room for some, and how many before it leave none; multiplier 0 where all leave none.
    """
    joined = replace(
        steps,
        at=np.tile(steps.at[channels], (len(tried), 1)),
        low=np.tile(steps.low[channels], len(tried)),
        high=np.tile(steps.high[channels], len(tried)),
        reached=np.concatenate([each.reached[channels] for each in tried]),
        before=np.concatenate([each.before[channels] for each in tried]),
        middle=np.concatenate([each.middle[channels] for each in tried]),
    )
    found = chosen_constants(joined, np.arange(len(joined.at)), left, right)
    multipliers, offsets = (values.reshape(len(tried), -1) for values in found)
    fits = multipliers != 0
    first, each = fits.argmax(axis=0), np.arange(len(channels))
    needed = np.where(fits.any(axis=0), first, len(tried))
    return multipliers[first, each], offsets[first, each], needed


def _exceptions(every: Steps, found: Thresholds) -> NDArray[np.int32] | None:
    """Sums at which the constants give another output than the steps, as rows of `exceptions`; None
    where one is off by more than one.
    """
    some = every.moving
    slope = found.multiplier[some, None].astype(np.int64) << found.left
    offset = found.offset[some, None].astype(np.int64) << 32
    at, low, high = every.at[some], every.low[some, None], every.high[some, None]
    line = -((offset - (OUTPUTS << 32 + found.right)) // slope)  # the first sum of each output
    late = np.where(every.reached[some], np.minimum(line, high + 1) - at, 0)
    early = np.where(every.before[some], at - np.maximum(line, low), 0)
    rows: list[tuple[int, int]] = []
    for number, channel in enumerate(some.tolist()):
        own: list[tuple[int, int]] = []
        for index in np.flatnonzero((late[number] > 0) | (early[number] > 0)).tolist():
            output, first = index + LOWEST, int(at[number, index])
            rest = channel << 9 | (output - 1 & 0xFF) << 1 | 1
            own += [(first + i, rest) for i in range(min(late[number, index], _MOST + 1))]
            rest = channel << 9 | (output & 0xFF) << 1
            own += [(first - i, rest) for i in range(min(early[number, index], _MOST + 1), 0, -1)]
        if len(own) > _MOST or len({s for s, _ in own}) < len(own):
            return None
        rows += own
    return np.array(rows, np.int32).reshape(-1, 2)

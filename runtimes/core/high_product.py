"""Requantisation by the high half of one product, where thresholds prove it.

An int8 output is a step function of the sum of products p = Σ w·x: it never falls and has at most
255 steps. With t(y) the least reachable p whose output is y or more,

    (((p << left) * m >> 32) + r) >> right

clamped as the output is, equals the output for every reachable p exactly when it reaches each y at
t(y) and not before:

    t(y) * 2^left * m + r * 2^32       >= y * 2^(32 + right)   and
    (t(y) - 1) * 2^left * m + r * 2^32 <  y * 2^(32 + right).

For a given m near scale * 2^(32 + right - left) both bound r by integers, which carries bias, zero
points and rounding. left and right are the same for all channels; m too, where all have one scale.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

NEAR = 64  # how far from its nominal value a multiplier is looked for
NARROWER = 8  # shifts to the left that are tried
Ints = NDArray[np.int64]
_NEAREST: Ints = np.array(sorted(range(-NEAR, NEAR + 1), key=abs), np.int64)
_BINDING = 12  # thresholds that decide near a multiplier
_MOST = np.int64(1 << 30)  # of an offset
Outputs = Callable[[Ints], Ints]  # [n][channels] sums of products -> elements of y


@dataclass(frozen=True)
class HighProduct:
    """Multipliers and offsets, one per channel or one multiplier, and the two common shifts."""

    left: int
    right: int
    multiplier: NDArray[np.int32]
    offset: NDArray[np.int32]


@dataclass(frozen=True)
class ChannelSums:
    """Range of the sums of products of each channel, and their scale."""

    low: Ints
    high: Ints
    scale: NDArray[np.float64]  # [channels] or [1]


def high_product(
    sums: ChannelSums, guess: Ints, outputs: Outputs, clamp: tuple[int, int]
) -> HighProduct | None:
    """Constants for these sums, or None where no constants are exact.

    `guess` [elements][channels] estimates the least sum for each element from clamp[0] + 1 to
    clamp[1].
    """
    if clamp[0] == clamp[1]:
        constant = np.full(len(sums.low), 2 * clamp[0], np.int32)
        return HighProduct(0, 1, np.zeros(len(sums.scale), np.int32), constant)
    wanted = np.arange(clamp[0] + 1, clamp[1] + 1, dtype=np.int64)[:, None]
    at = _thresholds(sums, guess, outputs, wanted)
    return _constants(*(each.tobytes() for each in (at, sums.low, sums.high, sums.scale)), clamp)


@lru_cache(maxsize=64)  # a node is planned some ten times in a build
def _constants(
    at: bytes, low: bytes, high: bytes, scale: bytes, clamp: tuple[int, int]
) -> HighProduct | None:
    """Constants from bytes of arrays: thresholds, ranges of channels' sums, scales. Cached."""
    sums = ChannelSums(
        np.frombuffer(low, np.int64), np.frombuffer(high, np.int64), np.frombuffer(scale)
    )
    wanted = np.arange(clamp[0] + 1, clamp[1] + 1, dtype=np.int64)[:, None]
    thresholds = np.frombuffer(at, np.int64).reshape(len(wanted), -1)
    for left, right in _shifts(sums):
        found = _search(sums, thresholds, wanted, left, right)
        if found is not None:
            return HighProduct(left, right, *found)
    return None


def _thresholds(sums: ChannelSums, guess: Ints, outputs: Outputs, wanted: Ints) -> Ints:
    """t(y) of each y: the least sum if all sums reach y, the greatest plus one if none does."""
    low, high = sums.low[None, :], sums.high[None, :]
    at = np.where(outputs(low) >= wanted, low, np.clip(guess, low, high + 1))
    while True:
        early = (at <= high) & (outputs(np.minimum(at, high)) < wanted)
        late = (at > low) & (outputs(np.maximum(at - 1, low)) >= wanted)
        if not (early.any() or late.any()):
            return at
        at = at + early - late


def _shifts(sums: ChannelSums) -> Iterator[tuple[int, int]]:
    """Pairs of shifts (left, right): first as many bits as the sums have room for, then fewer."""
    largest = int(max(np.abs(sums.low).max(), np.abs(sums.high).max(), 1))
    widest = 31 - largest.bit_length()
    scale = float(sums.scale.max())
    if scale <= 0:
        return
    for left in range(widest, max(widest - NARROWER, -1), -1):
        right = left - 2 - int(np.floor(np.log2(scale)))  # the largest multiplier below 2^31
        for fewer in range(3):
            if 1 <= right - fewer <= 22:
                yield left, right - fewer


def _search(
    sums: ChannelSums, at: Ints, wanted: Ints, left: int, right: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
    """(multipliers, offsets), or None where some channel has none."""
    nominal = np.rint(np.ldexp(sums.scale, 32 + right - left)).astype(np.int64)
    multiplier, offset = np.zeros_like(nominal), np.zeros(at.shape[1], np.int64)
    missing = np.ones(at.shape[1], bool)
    outputs = wanted << (32 + right)
    for distance in _promising(sums, at, outputs, nominal, left, missing):
        m = nominal + distance
        low, high = _offsets(*_bounds(sums, at, outputs, m << left))
        r = low + ((high - low) >> 1)  # not the sum of halves: that is below two equal odd ones
        fits = (low <= high) & (m >= 0) & (m < 1 << 31) & (np.abs(r) < 1 << 30)
        for end in (sums.low, sums.high):
            fits &= np.abs(r + ((end * m << left) >> 32)) < 1 << 30
        if len(nominal) == 1:  # one multiplier has to fit all channels
            if fits.all():
                return m.astype(np.int32), r.astype(np.int32)
            continue
        chosen = missing & fits
        multiplier[chosen], offset[chosen] = m[chosen], r[chosen]
        missing &= ~chosen
        if not missing.any():
            return multiplier.astype(np.int32), offset.astype(np.int32)
    return None


def _promising(
    sums: ChannelSums, at: Ints, outputs: Ints, nominal: Ints, left: int, missing: NDArray[np.bool_]
) -> Iterator[int]:
    """Distances from the nominal multipliers at which constants may fit, nearest first: where the
    half planes that decide at the nominal multipliers leave an offset, for all channels together or
    for a missing one.
    """
    yield 0
    steps = (nominal + _NEAREST[:, None] << left)[:, None, :]
    bounds = _bounds(sums, at, outputs, nominal << left)
    binding = [np.argsort(order, axis=0)[:_BINDING] for order in (-bounds[0], bounds[1])]
    targets = np.broadcast_to(outputs, at.shape)
    (least, _), (_, largest) = (
        _bounds(sums, np.take_along_axis(at, i, 0), np.take_along_axis(targets, i, 0), steps)
        for i in binding
    )
    low, high = least.max(axis=1, initial=-_MOST), largest.min(axis=1, initial=_MOST)
    fits = low <= high
    if len(nominal) > 1 and not fits.any(axis=0)[missing].all():
        return  # some channel has none, whatever the others have
    for distance, hopeful in zip(_NEAREST.tolist(), fits, strict=True):
        if distance and (hopeful.all() if len(nominal) == 1 else (hopeful & missing).any()):
            yield distance


def _bounds(sums: ChannelSums, at: Ints, outputs: Ints, step: Ints) -> tuple[Ints, Ints]:
    """Least and largest offset that each threshold allows: sums at a threshold reach the output,
    sums before it do not.
    """
    least = -((at * step - outputs) >> 32)  # the ceiling of the quotient
    largest = -(((at - 1) * step - outputs) >> 32) - 1
    return np.where(at <= sums.high, least, -_MOST), np.where(at > sums.low, largest, _MOST)


def _offsets(least: Ints, largest: Ints) -> tuple[Ints, Ints]:
    """Least and largest offset that all thresholds of a channel allow."""
    return least.max(axis=0, initial=-_MOST), largest.min(axis=0, initial=_MOST)

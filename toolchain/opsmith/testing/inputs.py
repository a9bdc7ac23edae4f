"""Inputs that find differences: seeded random values over the full range, and the extremes."""

from collections.abc import Callable, Sequence
from itertools import cycle

import numpy as np

from opsmith.ir import Array
from opsmith.oracle.litert import Detail

Fill = Callable[[Detail, np.random.Generator], Array]


def seeded_inputs(inputs: Sequence[Detail], count: int, seed: int = 0) -> list[list[Array]]:
    """Extremes, each once, and then `count` random sets of values for the given inputs.

    Equal arguments give equal values. Integers are random over their type's whole range; floats are
    of every size up to 1e6 and include signed zeros, subnormals and exact halves.
    """
    random = np.random.default_rng(seed)
    fills = [*_EXTREMES, *(fill for fill, _ in zip(cycle(_RANDOM), range(count), strict=False))]
    return [[np.asarray(fill(each, random), each.dtype) for each in inputs] for fill in fills]


def _opposed(detail: Detail, random: np.random.Generator) -> Array:
    """Extremes that alternate between inputs: the first is high where the next is low."""
    return np.full(detail.shape, _limits(detail)[random.integers(2)])


def _limits(detail: Detail) -> tuple[float, float] | tuple[int, int]:
    if detail.dtype.kind == "f":
        return -1e6, 1e6
    if detail.dtype.kind == "b":
        return 0, 1
    limits = np.iinfo(detail.dtype)
    return int(limits.min), int(limits.max)


def _uniform(detail: Detail, random: np.random.Generator) -> Array:
    if detail.dtype.kind == "f":
        return random.normal(0, 2, detail.shape)
    low, high = _limits(detail)
    wide = np.uint64 if high >= 1 << 63 else np.int64
    return random.integers(int(low), int(high), detail.shape, wide, endpoint=True)


def _halves(detail: Detail, random: np.random.Generator) -> Array:
    """Floats that are multiples of a half, which meet the ties of power-of-two scales."""
    if detail.dtype.kind != "f":
        return _uniform(detail, random)
    return random.integers(-256, 256, detail.shape, endpoint=True) / 2


def _every_size(detail: Detail, random: np.random.Generator) -> Array:
    """Values of every magnitude, including both zeros for floats and many small integers."""
    if detail.dtype.kind != "f":
        found, bits = _uniform(detail, random), 8 * detail.dtype.itemsize
        return found >> random.integers(0, bits, detail.shape, found.dtype) if bits > 8 else found
    size = 10.0 ** random.uniform(-44, 6, detail.shape)
    size = np.where(random.random(detail.shape) < 0.1, 0.0, size)
    return np.where(random.random(detail.shape) < 0.5, -size, size)


_EXTREMES: tuple[Fill, ...] = (
    lambda each, _: np.full(each.shape, _limits(each)[0]),
    lambda each, _: np.full(each.shape, _limits(each)[1]),
    lambda each, _: np.full(each.shape, each.zero_point or 0),
    lambda each, _: np.resize(np.array(_limits(each), each.dtype), each.shape),  # in turn
    _opposed,
    _opposed,
)
_RANDOM: tuple[Fill, ...] = (_uniform, _halves, _every_size)

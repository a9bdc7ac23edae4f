"""How DSP kernels turn sums into int8: `runtimes/core/channel_constants.h`, and their proof.

Where a layer has thresholds that one multiplication meets (`threshold_requantization.py`), that
is four instructions with the store. Where it has none, matrix products of int8 take an offset of 64
bits (`long_product.py`), and convolutions Q31 double rounding, eight instructions: (h + (h >> 31) +
half + (zero_point << shift)) >> shift with h, the rounded high half of 2 * sum * multiplier. That
is TFLite's when |sum| < 2^30 and 1 <= shift <= 22: no step overflows, and zero_point << shift is
a multiple of 2^shift.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array
from opsmith.ir.types import u8
from opsmith.op.clamp import clamp_range
from opsmith.op.kernel import Refused
from opsmith.op.view import NodeView
from opsmith.runtimes.core.exceptions import excepted
from opsmith.runtimes.core.long_product import long_product
from opsmith.runtimes.core.output_steps import OUTPUTS, MonotoneSums, Steps, steps_of
from opsmith.runtimes.core.per_channel import bias_of
from opsmith.runtimes.core.rescaling import FixedPoint, OfBytes
from opsmith.runtimes.core.threshold_requantization import (
    Shift,
    Thresholds,
    threshold_requantization,
)

# Most bits of a sum first: finer steps of multiplier and offset.
ALL_SHIFTS: tuple[Shift, ...] = tuple((left, None) for left in range(13, 0, -1))
# Functions of these kernels are compiled for a shift, and layers of the same shift share them. So
# those come first that leave the fewest to ten networks of MLPerf Tiny and of Keras, found by
# trying. A pair's second channel has sums that are 256 times too large: 8 is the least.
PAIR_SHIFTS: tuple[Shift, ...] = (
    *((11, 16), (12, 17), (10, 17), (12, 13), (13, 16)),
    *ALL_SHIFTS[:6],
)
# Those that thresholds with exceptions try, until few are left.
EXCEPTING_SHIFTS: tuple[Shift, ...] = (*PAIR_SHIFTS, *ALL_SHIFTS[:5])
LARGEST_SUM = 1 << 30
LARGEST_SHIFT = 22  # an int8 zero point shifted so far stays below 2^30
NO_FORM = Refused("no form of requantisation is exact for all its sums")
NO_PRODUCT = Refused("no single product is exact for all its sums")
_FEW = 4  # channels
CERTAIN = 512  # an output so far from its zero point is beyond int8 whatever that is

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Shifts:
    """Params of kernels that requantise so."""

    left_shift: int  # of Threshold
    right_shift: int  # the same; 0: Rounding


@dataclass(frozen=True)
class DspRequantization:
    """Constants of a layer with a row of weights for each channel."""

    left: int  # shifts of Threshold; right is 0 where the table has Rounding
    right: int
    weights: Array
    table: NDArray[np.int32]  # [channel][2], Threshold, or [channel][3], Rounding, LongThreshold
    exceptions: int = 0  # rows of the table that follow those of the channels, from ROWS on


@dataclass(frozen=True)
class _Layer:
    """Facts that decide the constants. Equal layers are equal, so that one answer serves all."""

    digest: bytes  # of the weights
    element: str  # of them, as numpy names its type
    channels: int
    bias: bytes
    rescaling: OfBytes
    input_range: tuple[int, int]
    input_zero_point: int
    zero_point: int
    clamp: tuple[int, int]
    rows: Array = field(compare=False, repr=False)  # the weights of each channel

    def first(self, channels: int) -> _Layer:
        """The layer of its first channels alone."""
        return replace(
            self,
            channels=channels,
            bias=np.frombuffer(self.bias, np.int64)[:channels].tobytes(),
            rescaling=self.rescaling.first(channels),
            rows=self.rows[:channels],
        )

    def folded_bias(self) -> Ints:
        """[channel][1]: the bias with what the input's zero point adds."""
        total = self.rows.sum(axis=1, dtype=np.int64)
        bias = np.frombuffer(self.bias, np.int64)
        return np.asarray(bias - self.input_zero_point * total)[:, None]


def dsp_requantization(
    node: NodeView,
    weights: Array,
    rescaling: OfBytes,
    shifts: tuple[Shift, ...] = ALL_SHIFTS,
    origin: int = 0,
) -> DspRequantization | Refused:
    """The constants, or that no form is exact for some channel: scales have thresholds alone.

    `weights` are without their zero point, and may have the rows of all channels several times, as
    `rescaling` does. Inputs and outputs of uint8 are proved as int8 that are 128 less; constants
    then give uint8. What a kernel multiplies are inputs less `origin`.
    """
    return dsp_requantizations(node, weights, rescaling, origin)(shifts)


def dsp_requantizations(
    node: NodeView, weights: Array, rescaling: OfBytes, origin: int = 0
) -> Callable[[tuple[Shift, ...]], DspRequantization | Refused]:
    """`dsp_requantization` as a function of the shifts, for kernels that try several."""
    less = 128 if node["x"].dtype == u8 else 0
    layer = _layer(node, weights, rescaling, less, origin)

    def found(shifts: tuple[Shift, ...]) -> DspRequantization | Refused:
        constants = _requantization(layer, shifts)
        return constants if isinstance(constants, Refused) or not less else _raised(constants, less)

    return found


def long_requantization(
    node: NodeView, weights: Array, rescaling: OfBytes
) -> DspRequantization | Refused:
    """The constants of `long_product.py` for a layer of int8, or that there are none."""
    return _long(_layer(node, weights, rescaling, 0))


def _layer(
    node: NodeView, weights: Array, rescaling: OfBytes, less: int, origin: int = 0
) -> _Layer:
    low, high = node["x"].dtype.limits
    least, most = clamp_range(node)
    bias = bias_of(node).astype(np.int64)
    if len(bias) != len(weights):
        bias = np.resize(bias, len(weights))
    return _Layer(
        hashlib.sha256(np.ascontiguousarray(weights).data).digest(),
        weights.dtype.str,
        len(weights),
        bias.tobytes(),
        rescaling,
        (low - less - origin, high - less - origin),
        node["x"].zero_point - less - origin,
        node["y"].zero_point - less,
        (least - less, most - less),
        weights.reshape(len(weights), -1),
    )


def _raised(found: DspRequantization, more: int) -> DspRequantization:
    """The constants of outputs that are so much more."""
    table = found.table.copy()
    table[:, -1] += more << found.right if found.right else 2 * more << 5
    return replace(found, table=table)


@lru_cache(maxsize=256)
def _requantization(layer: _Layer, shifts: tuple[Shift, ...]) -> DspRequantization | Refused:
    weights, rescaling = layer.rows, layer.rescaling
    found = _thresholds(layer, shifts)
    if found is not None:
        return DspRequantization(found.left, found.right, weights, found.table())
    if not isinstance(rescaling, FixedPoint):
        return NO_PRODUCT
    bias = layer.folded_bias()
    low, high = product_bounds(weights, layer.input_range)
    reach = (low[:, None] + bias, high[:, None] + bias)
    return _rounding(layer, weights, bias, rescaling, reach) or NO_FORM


@lru_cache(maxsize=256)
def _long(layer: _Layer) -> DspRequantization | Refused:
    steps = _steps(layer)
    found = None if steps is None else long_product(steps)
    if found is None:
        return NO_PRODUCT
    return DspRequantization(0, found.right, layer.rows, found.table())


def _thresholds(layer: _Layer, shifts: tuple[Shift, ...]) -> Thresholds | None:
    """The constants of one multiplication; None where there are none."""
    steps = _steps(layer)
    return None if steps is None else threshold_requantization(steps, shifts)


def excepted_requantization(
    node: NodeView, weights: Array, rescaling: OfBytes, shifts: tuple[Shift, ...], origin: int = 0
) -> DspRequantization | Refused:
    """The constants of thresholds with exceptions, whose rows follow those of the channels."""
    return _excepted(_layer(node, weights, rescaling, 0, origin), shifts)


@lru_cache(maxsize=256)
def _excepted(layer: _Layer, shifts: tuple[Shift, ...]) -> DspRequantization | Refused:
    sums = _sums_of(layer)
    found = None if sums is None else excepted(sums, shifts)
    if found is None:
        return NO_PRODUCT
    lines, count = found.thresholds, len(found.exceptions)
    return DspRequantization(lines.left, lines.right, layer.rows, found.table(), count)


@lru_cache(maxsize=2)  # kernels of one node ask for different shifts
def _steps(layer: _Layer) -> Steps | None:
    """The steps of all channels. Where outputs go through zero, mostly a few show that they have no
    room.
    """
    rounded_twice = isinstance(layer.rescaling, FixedPoint)
    through_zero = layer.clamp[0] < layer.zero_point < layer.clamp[1]
    many = layer.channels > 4 * _FEW
    if many and rounded_twice and through_zero and _steps_of(layer.first(_FEW)) is None:
        return None
    return _steps_of(layer)


def _steps_of(layer: _Layer) -> Steps | None:
    sums = _sums_of(layer)
    return None if sums is None else steps_of(sums)


def _sums_of(layer: _Layer) -> MonotoneSums | None:
    """Sums that are requantised; None where they wrap before."""
    rescaling, bias = layer.rescaling, layer.folded_bias()
    if isinstance(rescaling, FixedPoint) and np.any(rescaling.constants[1] > 0):
        return None  # sums that are shifted left wrap

    def output(sums: Ints) -> Ints:
        scaled = rescaling((sums + bias).T).T
        return np.asarray(np.clip(scaled + layer.zero_point, *layer.clamp))

    low, high = product_bounds(layer.rows, layer.input_range)
    slope = np.broadcast_to(rescaling.slope, layer.channels)
    guess = rescaling.first_sums(OUTPUTS - layer.zero_point) - bias
    certain = isinstance(rescaling, FixedPoint)
    return MonotoneSums(low, high, output, slope, guess, layer.clamp, certain)


def product_bounds(weights: Array, input_range: tuple[int, int]) -> tuple[Ints, Ints]:
    """The least and the greatest Σ w·x of each channel over all inputs of this range."""
    below, above = input_range
    positive = np.maximum(weights, 0).sum(axis=1, dtype=np.int64)
    negative = np.minimum(weights, 0).sum(axis=1, dtype=np.int64)
    return positive * below + negative * above, positive * above + negative * below


def _rounding(
    layer: _Layer,
    weights: Array,
    bias: Ints,
    rescaling: FixedPoint,
    reach: tuple[Ints, Ints],
) -> DspRequantization | None:
    """Constants of the double rounding.

    A channel whose output is the same for all inputs, as training leaves them, gets weights 0 and
    a sum of four times that output, which multiplier 2^30 and shift 1 divide by four.
    """
    multiplier, shift = (each[:, None] for each in rescaling.constants)
    lowest, highest = (rescaling(sums.T).T for sums in reach)
    constant = lowest == highest  # requantisation is monotonic
    right = np.where(constant, 1, -shift)
    largest = np.maximum(np.abs(reach[0]), np.abs(reach[1]))
    if np.any((largest >= LARGEST_SUM) & ~constant) or np.any(
        (right < 1) | (right > LARGEST_SHIFT)
    ):
        return None
    sums = np.where(constant, 4 * np.clip(lowest, -CERTAIN, CERTAIN), bias)
    rest = (2 * layer.zero_point + 1 << 5) + right
    columns = [2 * sums, np.where(constant, 1 << 30, multiplier), rest]
    table = np.concatenate(columns, axis=1).astype(np.int32)
    if constant.any():
        weights = np.where(constant, 0, weights).astype(weights.dtype)
    return DspRequantization(1, 0, weights, table)

"""Rescaling of the sums of a layer to integers, before the zero point of y is added.

A rescaling takes sums [..., channels]. Rescalings of equal layers are equal, so that what is proved
of one serves all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opsmith.runtimes.core.fixed_point import multiply_by_quantized_multiplier

Ints = NDArray[np.int64]
Rescaling = Callable[[Ints], Ints]


@dataclass(frozen=True)
class FixedPoint:
    """Rescaling by Q31 multipliers, rounded twice: convolutions of int8."""

    multipliers: bytes  # int32, of each channel
    shifts: bytes  # int8, positive to the left

    @property
    def constants(self) -> tuple[Ints, Ints]:
        """(multipliers, shifts)."""
        multipliers = np.frombuffer(self.multipliers, np.int32).astype(np.int64)
        return multipliers, np.frombuffer(self.shifts, np.int8).astype(np.int64)

    def only(self, some: NDArray[np.bool_]) -> FixedPoint:
        """Rescaling of some channels."""
        multipliers = np.frombuffer(self.multipliers, np.int32)[some]
        return FixedPoint(
            multipliers.tobytes(), np.frombuffer(self.shifts, np.int8)[some].tobytes()
        )

    @property
    def slope(self) -> NDArray[np.float64]:
        """Approximate factor of a sum, by channel."""
        multipliers, shifts = self.constants
        return np.ldexp(multipliers.astype(np.float64), shifts - 31)

    def __call__(self, sums: Ints) -> Ints:
        """The rescaled sums. A larger one never gives less, but where it is shifted left."""
        return multiply_by_quantized_multiplier(sums, *self.constants)

    def first_sums(self, rescaled: Ints) -> Ints:
        """[channel][number]: the least sums that give these numbers or more, of all sums of 32
        bits: below -2^31 for any, and 2^31 or more for none. Where no sum is shifted left.
        """
        multipliers, shifts = self.constants
        few, which = np.unique(shifts, return_inverse=True)
        right = -few[:, None]
        high = (rescaled << right) - ((np.int64(1) << right) >> 1)
        high += (rescaled <= 0) & (right > 0)  # halves go away from zero
        products = (np.clip(high, -(1 << 31), 1 << 31) << 31) - (1 << 30)
        return _quotients(products, which, np.maximum(multipliers, 1)[:, None])


@dataclass(frozen=True)
class Narrow:
    """Rescaling by multipliers of 16 bits, rounded once, ties up: convolutions of int16."""

    multipliers: bytes  # int16, of each channel
    shifts: bytes  # int8, to the right, at least 1

    def __call__(self, sums: Ints) -> Ints:
        """The rescaled sums."""
        multipliers = np.frombuffer(self.multipliers, np.int16).astype(np.int64)
        shifts = np.frombuffer(self.shifts, np.int8).astype(np.int64)
        half = np.int64(1) << (shifts - 1)
        return np.asarray((sums * multipliers + half) >> shifts)


@dataclass(frozen=True)
class Scales:
    """Rescaling in double precision, to the nearest, halves away from zero: matrix products."""

    scales: bytes  # float64, of each channel or one for all

    def only(self, some: NDArray[np.bool_]) -> Scales:
        """Rescaling of some channels."""
        return Scales(self.slope[some].tobytes() if len(self.slope) > 1 else self.scales)

    @property
    def slope(self) -> NDArray[np.float64]:
        """Factor of a sum."""
        return np.frombuffer(self.scales, np.float64)

    def __call__(self, sums: Ints) -> Ints:
        """The rescaled sums. Adding 0.5 would not be exact."""
        scaled = sums.astype(np.float64) * self.slope
        whole = np.trunc(scaled)
        away = np.abs(scaled - whole) >= 0.5
        return np.asarray(whole + np.sign(scaled) * away, np.int64)

    def first_sums(self, rescaled: Ints) -> NDArray[np.float64]:
        """[channel][number]: the least sums that give these numbers, mostly, as quotients are
        rounded.
        """
        exact = (rescaled - 0.5) / np.maximum(self.slope, 2.0**-62)[:, None]
        return np.where(rescaled > 0, np.ceil(exact), np.floor(exact) + 1)


@dataclass(frozen=True)
class Singles:
    """Rescaling in single precision, halves to even: XNNPACK's layers, ONNX's QLinear."""

    scales: bytes  # float32, of each channel

    def only(self, some: NDArray[np.bool_]) -> Singles:
        """Rescaling of some channels."""
        return Singles(self.factors[some].tobytes())

    @property
    def factors(self) -> NDArray[np.float32]:
        """Factor of each channel's sums."""
        return np.frombuffer(self.scales, np.float32)

    @property
    def slope(self) -> NDArray[np.float64]:
        """The factors as float64."""
        return self.factors.astype(np.float64)

    def __call__(self, sums: Ints) -> Ints:
        """The rescaled sums. Sums of more than 24 bits and products are rounded to float32."""
        rounded: Ints = np.rint(sums.astype(np.float32) * self.factors).astype(np.int64)
        return rounded

    def first_sums(self, rescaled: Ints) -> NDArray[np.float64]:
        """[channel][number]: the least sums that give these numbers, mostly, as products are
        rounded.
        """
        return np.ceil((rescaled - 0.5) / np.maximum(self.slope, 2.0**-62)[:, None])


OfBytes = FixedPoint | Scales | Singles  # rescalings of int8 and uint8


def _quotients(dividends: Ints, which: Ints, divisors: Ints) -> Ints:
    """Quotients of these rows of numbers up to 2^62, rounded up. Those by 2^30 and more are less
    than 2^33: a double is then nearer than half a unit, and takes a third of the time.
    """
    if divisors.min() < 1 << 30:
        return np.asarray(-(-dividends[which] // divisors))
    quotients = dividends.astype(np.float64)[which]
    quotients /= divisors.astype(np.float64)
    nearest = np.rint(quotients, out=quotients).astype(np.int64)
    nearest += dividends[which] > nearest * divisors
    return nearest


@dataclass(frozen=True)
class WidthRequantization:
    """Requantisation of sums of int16 by int8 to elements of y."""

    wide: bool  # sums may need 64 bits, or double precision
    table: NDArray[np.int32]  # a row for each channel: a struct of runtimes/core

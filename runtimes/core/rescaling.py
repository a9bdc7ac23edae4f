"""Rescaling of the sums of a layer to integers, before the zero point of y is added.

A rescaling takes sums [..., channels]. Rescalings of equal layers compare equal, so that a proof
for one serves all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.fixed_point import multiply_by_quantized_multiplier

Ints = NDArray[np.int64]
Rescaling = Callable[[Ints], Ints]


@dataclass(frozen=True)
class FixedPoint:
    """Rescaling by Q31 multipliers, rounded twice, as in int8 convolutions."""

    multipliers: bytes  # int32, of each channel
    shifts: bytes  # int8, positive to the left

    @property
    def constants(self) -> tuple[Ints, Ints]:
        """Arrays of Q31 multipliers and of shifts, by channel."""
        multipliers = np.frombuffer(self.multipliers, np.int32).astype(np.int64)
        return multipliers, np.frombuffer(self.shifts, np.int8).astype(np.int64)

    def only(self, some: NDArray[np.bool_]) -> FixedPoint:
        """Rescaling of the channels in a mask."""
        multipliers = np.frombuffer(self.multipliers, np.int32)[some]
        return FixedPoint(
            multipliers.tobytes(), np.frombuffer(self.shifts, np.int8)[some].tobytes()
        )

    @property
    def slope(self) -> NDArray[np.float64]:
        """Approximate factor from a sum to an output, by channel."""
        multipliers, shifts = self.constants
        return np.ldexp(multipliers.astype(np.float64), shifts - 31)

    def __call__(self, sums: Ints) -> Ints:
        """Rescaled sums. A larger sum never gives less, except in channels that shift left."""
        return multiply_by_quantized_multiplier(sums, *self.constants)

    def first_sums(self, rescaled: Ints) -> Ints:
        """[channel][number]: least 32-bit sum that gives each number or more; below -2^31 if every
        sum does, 2^31 or more if none does. Only for channels that do not shift left.
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
    """Rescaling by 16-bit multipliers, rounded once, ties up, as in int16 convolutions."""

    multipliers: bytes  # int16, of each channel
    shifts: bytes  # int8, to the right, at least 1

    def __call__(self, sums: Ints) -> Ints:
        """Sums times multipliers, shifted right and rounded."""
        multipliers = np.frombuffer(self.multipliers, np.int16).astype(np.int64)
        shifts = np.frombuffer(self.shifts, np.int8).astype(np.int64)
        half = np.int64(1) << (shifts - 1)
        return np.asarray((sums * multipliers + half) >> shifts)


@dataclass(frozen=True)
class Scales:
    """Rescaling in double precision, halves away from zero, as in matrix products."""

    scales: bytes  # float64, of each channel or one for all

    def only(self, some: NDArray[np.bool_]) -> Scales:
        """Rescaling of the channels in a mask."""
        return Scales(self.slope[some].tobytes() if len(self.slope) > 1 else self.scales)

    @property
    def slope(self) -> NDArray[np.float64]:
        """Factor from a sum to an output, by channel."""
        return np.frombuffer(self.scales, np.float64)

    def __call__(self, sums: Ints) -> Ints:
        """Rescaled sums. Rounding by adding 0.5 would not be exact."""
        scaled = sums.astype(np.float64) * self.slope
        whole = np.trunc(scaled)
        away = np.abs(scaled - whole) >= 0.5
        return np.asarray(whole + np.sign(scaled) * away, np.int64)

    def first_sums(self, rescaled: Ints) -> NDArray[np.float64]:
        """[channel][number]: least sum that gives each number or more; may be off by one, as
        quotients are rounded.
        """
        exact = (rescaled - 0.5) / np.maximum(self.slope, 2.0**-62)[:, None]
        return np.where(rescaled > 0, np.ceil(exact), np.floor(exact) + 1)


@dataclass(frozen=True)
class Singles:
    """Rescaling in single precision, halves to even, as in XNNPACK and ONNX's QLinear operators."""

    scales: bytes  # float32, of each channel

    def only(self, some: NDArray[np.bool_]) -> Singles:
        """Rescaling of the channels in a mask."""
        return Singles(self.factors[some].tobytes())

    @property
    def factors(self) -> NDArray[np.float32]:
        """float32 factor of the sums of each channel."""
        return np.frombuffer(self.scales, np.float32)

    @property
    def slope(self) -> NDArray[np.float64]:
        """Factor from a sum to an output, by channel, as float64."""
        return self.factors.astype(np.float64)

    def __call__(self, sums: Ints) -> Ints:
        """Rescaled sums. Products, and sums of more than 24 bits, are rounded to float32."""
        rounded: Ints = np.rint(sums.astype(np.float32) * self.factors).astype(np.int64)
        return rounded

    def first_sums(self, rescaled: Ints) -> NDArray[np.float64]:
        """[channel][number]: least sum that gives it or more, off by one at most."""
        return np.ceil((rescaled - 0.5) / np.maximum(self.slope, 2.0**-62)[:, None])


OfBytes = FixedPoint | Scales | Singles  # rescalings of int8 and uint8


def _quotients(dividends: Ints, which: Ints, divisors: Ints) -> Ints:
    """Quotients dividends[which] / divisors of numbers up to 2^62, rounded up.

    Quotients by 2^30 or more are below 2^33: a double is then nearer than half a unit, in a third
    of the time.
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
    """Requantisation constants for sums of int16 inputs and int8 weights."""

    wide: bool  # sums may need 64 bits, or double precision
    table: NDArray[np.int32]  # a row for each channel: a struct of runtimes/core

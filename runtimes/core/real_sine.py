"""sin(x) and cos(x) of float32: real_sine.h in numpy."""

import math

import numpy as np

from opsmith.ir import Array
from runtimes.core.formula import in_core

_TO_FIXED, _HIGH, _LOW, _PER_UNIT = map(
    float.fromhex,
    ("0x1.45f306dc9c883p+23", "0x1.921fb5444p+0", "0x1.68cp-39", "0x1.921fb54442d18p-62"),
)
_COSINE = [
    float.fromhex(digits)
    for digits in (
        "-0x1.ffffffd0c621cp-2",
        "0x1.55553e1068f19p-5",
        "-0x1.6c087e89a359dp-10",
        "0x1.99343027bf8c3p-16",
    )
]
_SINE = [
    float.fromhex(digits)
    for digits in ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13")
]
# The bits of 2 / pi, with 32 zeros in front.
_TWO_OVER_PI = np.array(
    [0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB],
    np.uint64,
)


@in_core
def real_sine(x: Array) -> Array:
    """sin(x) of float32; NaN for infinities."""
    return np.where(np.abs(x) < 2.0**-12, x, _sine_after(x, 0))


@in_core
def real_cosine(x: Array) -> Array:
    """cos(x) of float32; NaN for infinities."""
    return _sine_after(x, 1)


def _sine_after(x: Array, more: int) -> Array:
    """Sine of x plus `more` right angles."""
    with np.errstate(all="ignore"):
        finite, small = np.isfinite(x), np.abs(x) < 120
        near, near_rest = _small_angle(np.where(small, x, np.float32(0)))
        far, far_rest = _large_angle(np.where(finite & ~small, x, np.float32(120)))
        quadrants = np.where(small, near, far) + more
        rest = np.where(small, near_rest, far_rest)
        found = np.where(quadrants & 1, _cosine(rest), _sine(rest))
        found = np.where(quadrants & 2, -found, found).astype(np.float32)
        return np.where(finite, found, np.where(np.isnan(x), x + x, np.float32(-math.nan)))


def _small_angle(x: Array) -> tuple[Array, Array]:
    exact = x.astype(np.float64)
    quadrants = ((exact * _TO_FIXED).astype(np.int32) + 0x800000) >> 24
    return quadrants, (exact - quadrants * _HIGH) - quadrants * _LOW


def _large_angle(x: Array) -> tuple[Array, Array]:
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64).reshape(x.shape)
    exponent = bits >> np.uint64(23) & np.uint64(127)
    significand = ((bits & np.uint64(0x7FFFFF)) | np.uint64(0x800000)) << (exponent & np.uint64(7))
    first = (exponent & np.uint64(0x78)) + np.uint64(8)
    half = np.uint64(32)

    def word(i: int) -> Array:
        at = (first // half).astype(np.int64) + i
        both = _TWO_OVER_PI[at] << half | _TWO_OVER_PI[at + 1]
        return both << first % half >> half

    product = (significand * word(0) << half) + significand * word(1)
    product = product + (significand * word(2) >> half)
    quadrants = ((product + np.uint64(1 << 61)) >> np.uint64(62)).astype(np.int32)
    rest = ((product << np.uint64(2)).view(np.int64) >> 2).astype(np.float64) * _PER_UNIT
    negative = x < 0
    return np.where(negative, -quadrants, quadrants), np.where(negative, -rest, rest)


def _cosine(rest: Array) -> Array:
    square = rest * rest
    low = _COSINE[2] + square * _COSINE[3]
    high = (1.0 + square * _COSINE[0]) + (square * square) * _COSINE[1]
    return np.asarray(high + (square * square) * square * low)


def _sine(rest: Array) -> Array:
    square = rest * rest
    cube = rest * square
    low = _SINE[1] + square * _SINE[2]
    return np.asarray((rest + cube * _SINE[0]) + cube * square * low)

"""x^y of float32: real_power.h in numpy."""

import math

import numpy as np

from opsmith.ir import Array
from runtimes.core.fused_multiply_add import fused_multiply_add
from runtimes.core.real_exponential import POWERS, STEPS
from runtimes.core.real_logarithm import RECIPROCALS, reduced

_BINARY_LOGARITHMS = np.array([-math.log2(each) for each in RECIPROCALS])
_HIGH = [float.fromhex(each) for each in ("0x1.27616c9496e0bp-2", "-0x1.71969a075c67ap-2")]
_MIDDLE = [float.fromhex(each) for each in ("0x1.ec70a6ca7baddp-2", "-0x1.7154748bef6c8p-1")]
_PER_LOG_2 = float.fromhex("0x1.71547652ab82bp0")
_CUBIC, _SQUARE, _LINEAR = map(
    float.fromhex, ("0x1.c6af84b912394p-5", "0x1.ebfce50fac4f3p-3", "0x1.62e42ff0c52d6p-1")
)
_SHIFT = float.fromhex("0x1.8p+47")  # to which adding leaves multiples of 1 / 32


def real_power(x: Array, y: Array) -> Array:
    """x^y, rounded to float32; NaN with its sign set for negative x and y that is no integer."""
    with np.errstate(all="ignore"):
        size, whole = np.abs(x), np.trunc(y) == y
        odd = np.abs(np.fmod(y, 2)) == 1
        endless = (size == 0) | np.isinf(size) | np.isinf(y)
        plain = (size > 0) & np.isfinite(size) & np.isfinite(y)
        found = _positive_power(np.where(plain, size, 1), np.where(plain, y, 1))
        limit = np.where((size > 1) == (y > 0), np.float32(np.inf), np.float32(0))
        found = np.where(endless, np.where(size == 1, np.float32(1), limit), found)
        found = np.where((x < 0) & plain & ~whole, np.float32(-math.nan), found)
        found = np.where(odd, np.copysign(found, x), found)
        unknown = np.where(odd, np.abs(x + y), x + y)
        found = np.where(np.isnan(x) | np.isnan(y), unknown, found)
        return np.where((y == 0) | (x == 1), np.float32(1), found)


def _positive_power(x: Array, y: Array) -> Array:
    exponent = np.clip(y.astype(np.float64) * _binary_logarithm(x), -151, 129)
    nearest = (exponent + _SHIFT) - _SHIFT
    rest = exponent - nearest
    steps = (nearest * STEPS).astype(np.int64)
    power = np.ldexp(POWERS[steps % STEPS], steps // STEPS)
    polynomial = fused_multiply_add(
        fused_multiply_add(_CUBIC, rest, _SQUARE),
        rest * rest,
        fused_multiply_add(_LINEAR, rest, 1.0),
    )
    return np.asarray(polynomial * power, np.float32)


def _binary_logarithm(x: Array) -> Array:
    near, rest, powers = reduced(x)
    r = fused_multiply_add(rest, RECIPROCALS[near], -1.0)
    square = r * r
    low = fused_multiply_add(_PER_LOG_2, r, _BINARY_LOGARITHMS[near] + powers)
    middle = fused_multiply_add(fused_multiply_add(_MIDDLE[0], r, _MIDDLE[1]), square, low)
    return fused_multiply_add(fused_multiply_add(_HIGH[0], r, _HIGH[1]), square * square, middle)

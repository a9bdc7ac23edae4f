"""exp(x) - 1 and tanh(x) of float32: real_exponential_minus_one.h in numpy."""

import numpy as np

from opsmith.ir import Array
from runtimes.core.formula import in_core

_F = np.float32
_PER_LOG_2, _LOG_2_HIGH, _LOG_2_LOW = map(
    _F, map(float.fromhex, ("0x1.715476p+0", "0x1.62e3p-1", "0x1.2fefa2p-17"))
)
_HALF_OF_LOG_2 = _F(float.fromhex("0x1.62e43p-2"))
_RATIO = tuple(
    _F(float.fromhex(digits))
    for digits in (
        "-0x1.afdb76p-23",
        "0x1.0cfca8p-18",
        "-0x1.4ce19ap-14",
        "0x1.a01a02p-10",
        "-0x1.111112p-5",
        "0x1p+0",
    )
)


@in_core
def real_exponential_minus_one(x: Array) -> Array:
    """exp(x) - 1 of float32 for x up to 20; NaN stays NaN."""
    with np.errstate(all="ignore"):
        k, rest, lost = _reduced(np.clip(np.nan_to_num(x), _F(-18), _F(20)))
        half = _F(0.5) * rest
        square = rest * half
        ratio = np.full_like(rest, _RATIO[0])
        for each in _RATIO[1:]:
            ratio = ratio * square + each
        three = _F(3) - ratio * half
        cubic = square * ((ratio - three) / (_F(6) - rest * three))
        of_rest = rest * (cubic - lost)
        found = _scaled(k, rest, of_rest - lost - square)
        return np.where(np.isnan(x), x + x, np.where(x < -18, _F(-1), found))


@in_core
def real_hyperbolic_tangent(x: Array) -> Array:
    """tanh(x) of float32; NaN stays NaN."""
    with np.errstate(all="ignore"):
        size = np.abs(x)
        large = size >= 1
        of_twice = real_exponential_minus_one(
            np.where(large, _F(2), _F(-2)) * np.fmin(size, _F(10))
        )
        more = of_twice + _F(2)
        quotient = np.where(large, _F(2), of_twice) / more
        found = np.where(large, _F(1) - quotient, -quotient)
        found = np.where(size < 10, found, _F(1))
        return np.where(np.isnan(x), x + x, np.copysign(found, x))


def _reduced(x: Array) -> tuple[Array, Array, Array]:
    """k, rest and lost, where x = k * log(2) + rest - lost."""
    k = np.trunc(_PER_LOG_2 * x + np.copysign(_F(0.5), x))
    high, low = x - k * _LOG_2_HIGH, k * _LOG_2_LOW
    rest = high - low
    small = np.abs(x) <= _HALF_OF_LOG_2
    lost = np.where(small, _F(0), (high - rest) - low)
    return np.where(small, 0, k).astype(np.int32), np.where(small, x, rest), lost


def _scaled(k: Array, rest: Array, minus: Array) -> Array:
    """2^k (1 + rest - minus) - 1."""
    power, one = np.ldexp(_F(1), k), np.ldexp(_F(1), -k)
    ways = (
        (k == 0, rest - minus),
        (k == -1, _F(0.5) * (rest - minus) - _F(0.5)),
        ((k == 1) & (rest < -0.25), _F(-2) * (minus - (rest + _F(0.5)))),
        (k == 1, _F(1) + _F(2) * (rest - minus)),
        (k < 0, (_F(1) - (minus - rest)) * power - _F(1)),
        (k < 23, ((_F(1) - one) - (minus - rest)) * power),
    )
    conditions, values = zip(*ways, strict=True)
    return np.select(conditions, values, ((rest - (minus + one)) + _F(1)) * power)

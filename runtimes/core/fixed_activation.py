"""Logistic function and tanh of int16 in fixed point: fixed_activation.h in numpy."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from runtimes.core.fixed_point import rounding_divide_by_pot

Ints = NDArray[np.int64]
LOW, HIGH = -(1 << 15), (1 << 15) - 1
_EXP_OF_MINUS_EIGHTH = 28918  # Q0.15
_ONE_THIRD = 10923
_FACTORS = (25520, 19875, 12055, 4435, 600, 11, 0)  # exp(-1/4), exp(-1/2), exp(-1), … in Q0.15


def fixed_logistic(x: Ints) -> Ints:
    """1 / (1 + exp(-x)) in Q0.15 of x in Q3.12."""
    return _logistic_of_all()[x - LOW]


def fixed_tanh(x: Ints, integer_bits: int) -> Ints:
    """tanh(x) in Q0.15 of x with 0 to 6 integer bits."""
    return _tanh_of_all(integer_bits)[x - LOW]


@cache
def _logistic_of_all() -> Ints:
    x = np.arange(LOW, HIGH + 1, dtype=np.int64)
    y = _shift_left(_reciprocal(_exponential(-np.abs(x), 3)), 1)
    return np.where(x == 0, np.int64(1 << 14), np.where(x < 0, HIGH - y, y))


@cache
def _tanh_of_all(integer_bits: int) -> Ints:
    x = np.arange(LOW, HIGH + 1, dtype=np.int64)
    power = _exponential(-np.abs(x), integer_bits + 1)
    return np.sign(x) * _shift_left(_reciprocal(power) - (1 << 13), 2)


def _exponential(x: Ints, integer_bits: int) -> Ints:
    """exp(x) in Q0.15 for x <= 0 with `integer_bits` integer bits."""
    fractional_bits = 15 - integer_bits
    quarter_bits = fractional_bits - 2
    quarter = 1 << quarter_bits
    rest = (x & (quarter - 1)) - quarter
    multiple = (rest - x) >> quarter_bits
    y = _exponential_of_rest(rest << integer_bits)
    for i, factor in enumerate(_FACTORS[: integer_bits + 2]):
        y = np.where(multiple >> i & 1, _mul(y, factor), y)
    if integer_bits > 5:
        y = np.where(x < -(32 << fractional_bits), 0, y)
    return np.where(x == 0, HIGH, y)


def _exponential_of_rest(rest: Ints) -> Ints:
    x = rest + (1 << 12)
    x2 = _mul(x, x)
    x3, x4 = _mul(x2, x), _mul(x2, x2)
    cubic = _mul(rounding_divide_by_pot(x4, 2) + x3, _ONE_THIRD)
    tail = rounding_divide_by_pot(cubic + x2, 1)
    return np.minimum(_EXP_OF_MINUS_EIGHTH + _mul(x + tail, _EXP_OF_MINUS_EIGHTH), HIGH)


def _reciprocal(x: Ints) -> Ints:
    """2 / (1 + x) in Q2.13 for x in [0, 1]."""
    half = (x + HIGH + 1) // 2
    y = 23130 + _mul(half, -15420)
    for _ in range(3):
        error = (1 << 13) - _mul(half, y)
        y = y + _shift_left(_mul(y, error), 2)
    return y


def _mul(a: Ints, b: Ints | int) -> Ints:
    return (a * b + (1 << 14)) >> 15


def _shift_left(x: Ints, bits: int) -> Ints:
    return np.asarray(np.clip(x << bits, LOW, HIGH), np.int64)

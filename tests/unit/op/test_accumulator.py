"""Sums that may leave 32 bits are reported; those that just fit are not."""

import numpy as np

from opsmith.ir import Quantization, Tensor
from opsmith.ir.types import i8
from runtimes.core.accumulator import LIMIT, accumulator_bounds, overflow_problems


def x(zero_point: int) -> Tensor:
    return Tensor("x", "x", i8, (1, 3), Quantization((0.5,), (zero_point,)))


def test_bounds_are_reached_by_the_worst_input() -> None:
    weights, bias = np.array([[1, -2, 3], [0, 0, 0]], np.int8), np.array([-10, 7], np.int32)
    assert accumulator_bounds(x(-128), weights, bias).tolist() == [6 * 255 + 10, 7]
    assert accumulator_bounds(x(0), weights, bias).tolist() == [6 * 128 + 10, 7]


def test_the_least_bias_does_not_overflow_here() -> None:
    bounds = accumulator_bounds(x(0), np.zeros((1, 1), np.int8), np.array([-(2**31)], np.int32))
    assert list(overflow_problems(bounds)) == ["the sums of output channel 0 may overflow 32 bits"]


def test_the_limit_itself_fits() -> None:
    assert not list(overflow_problems(np.array([LIMIT])))
    assert list(overflow_problems(np.array([1, LIMIT + 1]))) == [
        "the sums of output channel 1 may overflow 32 bits"
    ]


def test_a_left_shift_counts_and_a_right_shift_does_not() -> None:
    assert list(overflow_problems(np.array([LIMIT]), 1)) == [
        "the sums of output channel 0 may overflow 32 bits: they are shifted left by 1, as the"
        " output's scale is that small"
    ]
    assert not list(overflow_problems(np.array([LIMIT]), np.array([-3], np.int8)))

"""The fixed-point arithmetic equals its definition in exact integers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsmith.ir import Quantization, Tensor
from opsmith.ir.types import i8
from opsmith.op import OpError
from opsmith.op.clamp import activation_range, round_half_away
from opsmith.runtimes.core.fixed_point import (
    doubling_high_mul,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_divide_by_pot,
)

INT32 = st.integers(-(2**31), 2**31 - 1)


def nearest(value: Fraction) -> int:
    """The nearest integer, ties away from zero."""
    floor = math.floor(abs(value) + Fraction(1, 2))
    return floor if value >= 0 else -floor


@given(INT32, st.integers(0, 31))
def test_rounding_divide_by_pot_rounds_ties_away(x: int, exponent: int) -> None:
    found = rounding_divide_by_pot(np.array([x], np.int64), exponent)
    assert int(found[0]) == nearest(Fraction(x, 2**exponent))


@given(INT32, st.integers(-(2**31) + 1, 2**31 - 1))
def test_doubling_high_mul_rounds_to_nearest(a: int, b: int) -> None:
    """TFLite adds a nudge and truncates, so a negative tie goes towards zero."""
    product = a * b
    nudge = 2**30 if product >= 0 else 1 - 2**30
    wanted = math.trunc(Fraction(product + nudge, 2**31))
    assert int(doubling_high_mul(np.array([a], np.int64), b)[0]) == wanted


@given(st.floats(1e-8, 2**29))
def test_quantize_multiplier_is_near_and_normal(real: float) -> None:
    multiplier, shift = quantize_multiplier(real)
    assert 2**30 <= multiplier < 2**31
    assert math.isclose(math.ldexp(multiplier, shift - 31), real, rel_tol=2**-30)


def test_quantize_multiplier_of_tiny_scales_is_zero() -> None:
    assert quantize_multiplier(2.0**-40) == (0, 0)
    assert quantize_multiplier(0.0) == (0, 0)


@pytest.mark.parametrize("real", [-1.0, float("nan"), float("inf"), 2.0**40])
def test_quantize_multiplier_refuses_what_is_no_scale(real: float) -> None:
    with pytest.raises(OpError):
        quantize_multiplier(real)


def test_multiplication_wraps_left_shifts_as_int32_does() -> None:
    found = multiply_by_quantized_multiplier(np.array([2**30], np.int64), 2**30, 2)
    assert int(found[0]) == 0


@pytest.mark.parametrize(("x", "wanted"), [(0.5, 1), (-0.5, -1), (1.49, 1), (-2.5, -3), (0.0, 0)])
def test_round_half_away(x: float, wanted: int) -> None:
    assert round_half_away(x) == wanted


@pytest.mark.parametrize(
    ("activation", "wanted"),
    [
        ("NONE", (-128, 127)),
        ("RELU", (-28, 127)),
        ("RELU6", (-28, 32)),
        ("RELU_N1_TO_1", (-38, -18)),
    ],
)
def test_activation_range(activation: str, wanted: tuple[int, int]) -> None:
    y = Tensor("y", "y", i8, (1,), Quantization((0.1,), (-28,)))
    assert activation_range(activation, y) == wanted


def test_activation_range_stays_in_the_type() -> None:
    y = Tensor("y", "y", i8, (1,), Quantization((0.001,), (100,)))
    assert activation_range("RELU6", y) == (100, 127)


def test_unknown_activations_are_refused() -> None:
    y = Tensor("y", "y", i8, (1,), Quantization((0.1,), (0,)))
    with pytest.raises(OpError, match="TANH"):
        activation_range("TANH", y)

"""The fixed-point arithmetic equals its definition in exact integers, for random ones."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtimes.core.fixed_point import doubling_high_mul, quantize_multiplier, rounding_divide_by_pot

pytestmark = pytest.mark.slow

INT32 = st.integers(-(2**31), 2**31 - 1)


def nearest(value: Fraction) -> int:
    """Integer nearest to a fraction, ties rounded away from zero."""
    floor = math.floor(abs(value) + Fraction(1, 2))
    return floor if value >= 0 else -floor


@given(INT32, st.integers(0, 31))
def test_rounding_divide_by_pot_rounds_ties_away(x: int, exponent: int) -> None:
    found = rounding_divide_by_pot(np.array([x], np.int64), exponent)
    assert int(found[0]) == nearest(Fraction(x, 2**exponent))


@given(INT32, st.integers(-(2**31) + 1, 2**31 - 1))
def test_doubling_high_mul_rounds_to_nearest(a: int, b: int) -> None:
    """Products round to nearest; since TFLite adds a nudge and truncates, negative ties go towards
    zero.
    """
    product = a * b
    nudge = 2**30 if product >= 0 else 1 - 2**30
    wanted = math.trunc(Fraction(product + nudge, 2**31))
    assert int(doubling_high_mul(np.array([a], np.int64), b)[0]) == wanted


@given(st.floats(1e-8, 2**29))
def test_quantize_multiplier_is_near_and_normal(real: float) -> None:
    multiplier, shift = quantize_multiplier(real)
    assert 2**30 <= multiplier < 2**31
    assert math.isclose(math.ldexp(multiplier, shift - 31), real, rel_tol=2**-30)

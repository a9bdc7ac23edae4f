"""The fixed-point exponential and reciprocal are near the real ones, and exact at their ends."""

import numpy as np
import pytest

from runtimes.core.exponential import ONE, exponential, reciprocal_of_one_plus


@pytest.mark.parametrize("integer_bits", range(1, 6))
def test_exponential_is_near_the_real_one(integer_bits: int) -> None:
    x = -np.arange(0, 1 << 31, 999_983, dtype=np.int64)
    found = exponential(x, integer_bits) / 2**31
    assert np.abs(found - np.exp(x / 2.0 ** (31 - integer_bits))).max() < 1e-6


def test_exponential_of_zero_is_the_largest_number() -> None:
    assert exponential(np.array([0]), 5).tolist() == [ONE]


def test_exponential_of_the_least_number_vanishes() -> None:
    assert exponential(np.array([-(1 << 31)]), 5).tolist() == [0]


def test_reciprocal_is_near_the_real_one() -> None:
    x = np.arange(0, 1 << 31, 999_983, dtype=np.int64)
    found = reciprocal_of_one_plus(x) / 2**31
    assert np.abs(found - 1 / (1 + x / 2**31)).max() < 1e-7


def test_reciprocal_of_one_is_the_largest_number() -> None:
    assert reciprocal_of_one_plus(np.array([0])).tolist() == [ONE]

"""Doubles as integers: which scales round as double precision does, for which sums."""

import math

import numpy as np
import pytest

from opsmith.ir import Array
from runtimes.core.exact_scale import exact_scales, first_multiple_in


def rounded(sums: Array, scale: float) -> list[int]:
    """Sums rescaled as by LiteRT, in double precision."""
    real = np.abs(sums.astype(np.float64)) * scale
    whole = np.floor(real) + (real - np.floor(real) >= 0.5)
    return [int(number) for number in whole * np.sign(sums)]


def scaled(sums: Array, row: Array) -> list[int]:
    """Sums rescaled as by runtimes/core/exact_scale.h, in integers."""
    low, high, shift = (int(word) for word in row.view(np.uint32))
    multiplier = high << 32 | low
    magnitudes = [(abs(int(n)) * multiplier >> 64 + shift) + 1 >> 1 for n in sums]
    return [m if n >= 0 else -m for n, m in zip(sums, magnitudes, strict=True)]


def test_the_first_multiple_is_that_of_a_search() -> None:
    rng = np.random.default_rng(3)
    for _ in range(500):
        modulus = int(rng.integers(2, 60))
        step = int(rng.integers(0, 2 * modulus))
        low = int(rng.integers(0, modulus))
        high = int(rng.integers(low, modulus))
        most = int(rng.integers(-1, modulus))
        fits = (n for n in range(most + 1) if low <= n * step % modulus <= high)
        assert first_multiple_in(step, modulus, low, high, most) == next(fits, None)


@pytest.mark.parametrize("scale", [2.0**-3, 3 / 32, 0.0027, 0.2499, 7 / 300, 1e-5, 1e-12])
def test_found_scales_round_as_double_precision_does(scale: float) -> None:
    rng = np.random.default_rng(5)
    most = min(int(40000 / scale), 2**31 - 1)
    found = exact_scales(np.array([scale]), [most])
    assert found is not None
    ties = np.rint((np.arange(-300, 300) + 0.5) / scale).clip(-most, most)
    sums = np.concatenate([np.arange(-400, 400), rng.integers(-most, most, 4000), ties, [-most]])
    assert scaled(sums, found[0]) == rounded(sums, scale)


def test_products_that_double_precision_makes_halves_are_such() -> None:
    seen = 0
    for number in range(3 * 2**20, 3 * 2**20 + 40):
        half = 20000.5
        scale = half / number  # the nearest to it: above or below
        below = int(math.ldexp(scale, 80)) * number < int(math.ldexp(half, 80))
        found = exact_scales(np.array([scale]), [number])
        if found is None:  # neither way is right for all sums up to this
            continue
        assert scaled(np.array([number]), found[0]) == [20001 if number * scale == half else 20000]
        seen += below and number * scale == half
    assert seen, "no product is an example"


def test_large_scales_are_not_taken() -> None:
    assert exact_scales(np.array([0.25]), [100]) is None

"""Affine functions: exact for every input, or none."""

import numpy as np
import pytest
from numpy.typing import NDArray

from runtimes.core.affine import BYTES, AffineConstants, affine

LIMITS = (-128, 127)


PAIRS = (BYTES[:, None], BYTES[None, :])


def outputs_of(found: AffineConstants, low: int = -128, high: int = 127) -> NDArray[np.int64]:
    """Outputs of a kernel for all values of one input, or all pairs of two."""
    first, *others = (BYTES * m >> 8 for m in found.multipliers)
    sums = first + found.offset
    for other in others:
        sums = sums[..., None] + other
    assert np.abs(sums).max() < 1 << 31
    return np.asarray(np.clip(sums >> found.shift, low, high))


@pytest.mark.parametrize("slope", [1e-9, 0.003, 0.5001, 1.0, 1.7, -1.0, -0.3, 40.0, 3000.0])
def test_one_input(slope: float) -> None:
    wanted = np.clip(np.floor(BYTES * slope + 3.7), *LIMITS)
    found = affine(wanted, [BYTES], [slope], LIMITS)
    assert found is not None
    assert np.array_equal(outputs_of(found), wanted)


def test_pairs_and_limits() -> None:
    wanted = np.clip(np.floor(BYTES[:, None] * 0.37 - BYTES * 0.91 + 0.123), -5, 99)
    found = affine(wanted, PAIRS, [0.37, -0.91], (-5, 99))
    assert found is not None
    assert np.array_equal(outputs_of(found, -5, 99), wanted)


@pytest.mark.parametrize("zero", [0, -128, 5])
def test_ties_go_away_from_zero(zero: int) -> None:
    real = (BYTES[:, None] + BYTES) / 2
    away = np.clip(np.sign(real) * np.floor(np.abs(real) + 0.5) + zero, *LIMITS)
    found = affine(away, PAIRS, [0.5, 0.5], LIMITS)
    assert found is not None
    assert np.array_equal(outputs_of(found), away)


def test_whole_multipliers_use_the_bits_that_fractions_do_not() -> None:
    real = BYTES[:, None] * 0.9054 + BYTES * 0.7289 + 0.3
    wanted = np.clip(np.floor(real), *LIMITS)
    found = affine(wanted, PAIRS, [0.9054, 0.7289], LIMITS, fraction_bits=0)
    fraction = affine(wanted, PAIRS, [0.9054, 0.7289], LIMITS)
    assert found is not None and fraction is not None
    assert found.shift > fraction.shift
    a, b = found.multipliers
    sums = BYTES[:, None] * a + BYTES * b + found.offset
    assert np.abs(sums).max() < 1 << 31
    assert np.array_equal(np.clip(sums >> found.shift, *LIMITS), wanted)


@pytest.mark.parametrize("constant", [-128, 0, 127])
def test_constant_outputs(constant: int) -> None:
    wanted = np.full((256, 256), constant)
    found = affine(wanted, PAIRS, [1e-6, 1e-6], LIMITS)
    assert found is not None
    assert np.array_equal(outputs_of(found), wanted)


@pytest.mark.parametrize("slope", [float("inf"), float("nan"), 1e30])
def test_slopes_beyond_32_bits(slope: float) -> None:
    assert affine(np.zeros(256, np.int64), [BYTES], [slope], LIMITS) is None


def test_one_wrong_output_is_noticed() -> None:
    wanted = np.clip(np.floor(BYTES[:, None] * 0.37 + BYTES * 0.91 + 0.123), *LIMITS)
    wanted[100, 200] += 3
    assert affine(wanted, PAIRS, [0.37, 0.91], LIMITS) is None

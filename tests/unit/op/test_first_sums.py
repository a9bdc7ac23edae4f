"""Rescalings know the least sums that give their numbers, so that steps need not be looked for."""

import numpy as np
import pytest

from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.rescaling import FixedPoint, Scales, _quotients

RATIOS = 2.0 ** np.random.default_rng(3).uniform(-12, -0.1, 40)
NUMBERS = np.arange(-255, 256)


def fixed_point() -> FixedPoint:
    pairs = [quantize_multiplier(ratio) for ratio in RATIOS.tolist()]
    multipliers, shifts = zip(*pairs, strict=True)
    return FixedPoint(
        np.array(multipliers, np.int32).tobytes(), np.array(shifts, np.int8).tobytes()
    )


@pytest.mark.parametrize("rescaling", [fixed_point(), Scales(RATIOS.tobytes())])
def test_no_smaller_sum_gives_a_number(rescaling: FixedPoint | Scales) -> None:
    first = rescaling.first_sums(NUMBERS).astype(np.int64)
    assert first.shape == (40, 511)
    assert (rescaling(first.T).T >= NUMBERS).all()
    assert (rescaling(first.T - 1).T < NUMBERS).all()


def test_ties_go_away_from_zero() -> None:
    halves = Scales(np.array([0.5]).tobytes())
    assert halves.first_sums(np.array([-1, 0, 1])).tolist() == [[-2, 0, 1]]


@pytest.mark.parametrize("least", [1, 1 << 30])
def test_quotients_are_rounded_up_exactly(least: int) -> None:
    random = np.random.default_rng(8)
    divisors = random.integers(least, 1 << 31, (40, 1))
    near = random.integers(-(1 << 31), 1 << 31, (3, 60)) * int(divisors[0, 0])
    dividends = np.concatenate([near, near + 1, near - 1], axis=1)
    which = random.integers(0, 3, 40)
    which[:3] = range(3)
    found = _quotients(dividends, which, divisors)
    exact = [
        [-(-value // divisor) for value in dividends[row].tolist()]
        for row, divisor in zip(which.tolist(), divisors[:, 0].tolist(), strict=True)
    ]
    assert found.tolist() == exact

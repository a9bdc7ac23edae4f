"""Rescalings know the least sums that give their numbers, so that steps need not be looked for."""

import numpy as np
import pytest

from opsmith.runtimes.core.fixed_point import quantize_multiplier
from opsmith.runtimes.core.rescaling import FixedPoint, Scales

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

"""AveragePool2D: windows, padding, rounding and activations against LiteRT."""

from __future__ import annotations

from functools import partial

import numpy as np

from runtimes.families.pooling_cases import Pool, pool_cases, refused_pools
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests

SOURCE = "AVERAGE_POOL_2D"
valid = partial(Pool, SOURCE, padding="VALID")


class TestAveragePool2d(OpTests):
    cases = (
        *pool_cases(SOURCE),
        Case("window_180", valid(x=(1, 12, 15, 5), window=(12, 15))),
        Case("window_182", valid(x=(1, 13, 14, 5), window=(13, 14))),
        Case("window_256", valid(x=(1, 16, 17, 5), window=(16, 16))),
        Case("window_272", valid(x=(1, 16, 17, 5), window=(16, 17))),
        Case("even_count_ties", valid(x=(1, 2, 1, 4), window=(2, 1))),
    )
    rejected = refused_pools(SOURCE)


def test_reciprocals_give_every_mean() -> None:
    """What Mean of runtimes/core/lanes.h computes, for every sum of every count that it takes."""
    for count in range(1, 181):
        sums = np.arange(-128 * count, 127 * count + 1, dtype=np.int64)
        products = sums * ((1 << 23) // count + 1) + (1 << 22)
        assert np.abs(products).max() < 1 << 31, count
        means = np.sign(sums) * ((np.abs(sums) + count // 2) // count)
        assert np.array_equal(products >> 23, means), count

"""AveragePool2D: windows, padding, rounding and activations against LiteRT."""

from numpy.typing import NDArray

from opsmith.testing.op_tests import *
from runtimes.families.pooling_cases import Pool, pool_cases, refused_pools

SOURCE = "AVERAGE_POOL_2D"
valid = partial(Pool, SOURCE, padding="VALID")


class TestAveragePool2d(OpTests):
    cases = (
        *pool_cases(SOURCE),
        Case("window_180", valid(x=(1, 12, 15, 5), window=(12, 15))),
        Case("window_182", valid(x=(1, 13, 14, 5), window=(13, 14))),
        Case("window_256", valid(x=(1, 16, 17, 5), window=(16, 16))),
        Case("window_272", valid(x=(1, 16, 17, 5), window=(16, 17))),
        *(
            Case(
                f"{dtype}_{window[0] * window[1]}",
                valid(x=(1, 13, 17, 5), window=window, dtype=dtype, zero_point=0),
            )
            for dtype in ("uint8", "int16")
            for window in ((8, 16), (10, 13), (12, 15), (13, 14))
        ),
        Case("even_count_ties", valid(x=(1, 2, 1, 4), window=(2, 1))),
    )
    rejected = refused_pools(SOURCE)


@pytest.mark.parametrize(("bounds", "most"), [((-128, 127), 180), ((0, 255), 128)])
def test_reciprocals_give_every_mean(bounds: tuple[int, int], most: int) -> None:
    """Compares Mean of runtimes/core/lanes.h with exact means, for every sum of every count."""
    for count in range(1, most + 1):
        sums = np.arange(bounds[0] * count, bounds[1] * count + 1, dtype=np.int64)
        products = sums * ((1 << 23) // count + 1) + (1 << 22)
        assert np.abs(products).max() < 1 << 31, count
        assert np.array_equal(products >> 23, _means(sums, count)), count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("low", "high", "most"), [(-(1 << 15), 1 << 15, 180), (-128, 127, 256), (0, 255, 256)]
)
def test_wide_reciprocals_give_every_mean_near_a_tie(low: int, high: int, most: int) -> None:
    """Means by VQRDMULH and SMMULR near ties; between ties, products rise with the sums."""
    for count in range(1, most + 1):
        ties = np.arange(low * count, high * count, count) + count // 2
        sums = (ties[:, None] + np.arange(-1, 2)).clip(low * count, high * count)
        products = sums * min((1 << 31) // count + 1, (1 << 31) - 1)
        assert np.array_equal((products + (1 << 30)) >> 31, _means(sums, count)), count


def _means(sums: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    return np.asarray(np.sign(sums) * ((np.abs(sums) + count // 2) // count))

"""RealMean: axes, scales, and halves, against exact fractions."""

from fractions import Fraction

from opsmith.testing.op_tests import *


def mean(
    x: Sequence[int] = (1, 5, 6, 8),
    axes: Sequence[int] = (1, 2),
    scales: tuple[float, Any] = (0.1, 0.1),
    points: tuple[int, int] = (4, 4),
    divides: bool = True,
) -> Build:
    """Mean, or sum, to build that keeps its axes."""
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(x))
    given: dict[str, Any] = {"x": (tuple(x), "int8", scales[0], points[0])}
    given["axis"] = np.array(axes, np.int32)
    options = {"keep_dims": True, "divides": divides}
    return custom_node("OpsmithMean", given, {"y": (shape, "int8", scales[1], points[1])}, options)


class TestRealMean(OpTests):
    cases = (
        Case("image", mean()),
        Case("points", mean(points=(-128, 127))),
        Case("odd", mean((1, 3, 7, 9), points=(3, -7))),
        Case("halves", mean((1, 2, 1, 37), points=(3, 3))),
        Case("power_of_two", mean((2, 8, 8, 5), points=(-1, -1))),
        Case("long", mean((1, 1, 513, 5))),
        Case("last", mean((4, 3, 6), (2,))),
        Case("ends", mean((4, 3, 5), (0, 2))),
        Case("all", mean((4, 3, 5), (0, 1, 2))),
        Case("one_element", mean((1, 1, 1, 1))),
        Case("twice", mean(scales=(0.2, 0.1))),
        Case("half", mean((1, 3, 3, 6), scales=(0.1, 0.2), points=(5, 1))),
        Case("other", mean(scales=(0.07, 0.043), points=(-20, 9))),
        Case("saturates", mean(scales=(0.1, 0.0031))),
        Case("far_above", mean(scales=(3e4, 1e-5))),
        Case("far_below", mean(scales=(1e-20, 3.0), points=(1, -3))),
        Case("sum", mean((1, 3, 2, 7), scales=(0.1, 0.2), points=(3, 1), divides=False)),
        Case("sum_of_other", mean((3, 4, 2), (1,), scales=(0.07, 0.143), divides=False)),
        Case("large", mean((1, 96, 96, 2), scales=(0.07, 0.05))),
    )
    rejected = (
        refused("many", mean((1, 2049, 2048, 1)), "of 4196352 elements, more than 4194304"),
        refused("scales", mean(scales=(0.1, ())), "must be quantised per tensor"),
    )
    oracle = "numpy"

    @pytest.mark.parametrize(
        ("x", "scales", "points"),
        [
            ((1, 2, 1, 37), (0.1, 0.1), (3, 3)),
            ((2, 8, 8, 5), (0.05, 0.05), (-1, -2)),
            ((1, 3, 3, 6), (0.1, 0.2), (5, 1)),
            ((1, 5, 6, 8), (0.07, 0.043), (-20, 9)),
        ],
    )
    def test_elements_are_exact_means_rounded_once(
        self, x: tuple[int, ...], scales: tuple[float, float], points: tuple[int, int]
    ) -> None:
        asked = self.in_numpy(mean(x, scales=scales, points=points))
        given = np.random.default_rng(1).integers(-128, 128, x).astype(np.int8)
        (found,) = asked.run([given])
        sums = (given.astype(np.int64) - points[0]).sum(axis=(1, 2)).reshape(-1)
        single = [Fraction(float(np.float32(each))) for each in scales]
        step = single[0] / single[1] / (x[1] * x[2])
        wanted = [round(step * each) + points[1] for each in sums.tolist()]  # halves to even
        assert np.array_equal(found.reshape(-1), np.clip(wanted, -128, 127))

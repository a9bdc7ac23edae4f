"""RealAveragePool2D: windows, padding and halves, against exact fractions."""

from opsmith.testing.op_tests import *


def pool(
    x: Sequence[int] = (1, 7, 6, 5),
    window: tuple[int, int] = (2, 2),
    stride: tuple[int, int] = (2, 2),
    padding: str = "VALID",
    points: tuple[int, int] = (3, 3),
    **others: str,
) -> Build:
    """Pool of int8 to build."""
    sizes = [
        -(-size // step) if padding == "SAME" else (size - width) // step + 1
        for size, width, step in zip(x[1:3], window, stride, strict=True)
    ]
    options = {
        "padding": padding,
        "filter_height": window[0],
        "filter_width": window[1],
        "stride_h": stride[0],
        "stride_w": stride[1],
        **others,
    }
    given, made = (
        (tuple(shape), "int8", 0.05, point)
        for shape, point in zip((x, (x[0], *sizes, x[3])), points, strict=True)
    )
    return custom_node("OpsmithAveragePool", {"x": given}, {"y": made}, options)


class TestRealAveragePool2d(OpTests):
    cases = (
        Case("twos", pool()),
        Case("even_point", pool(points=(-128, -128))),
        Case("odd_point", pool((2, 6, 6, 16), points=(127, 127))),
        Case("same", pool((1, 5, 5, 9), (3, 3), (1, 1), "SAME")),
        Case("same_stride", pool((2, 7, 8, 7), (3, 2), (2, 3), "SAME")),
        Case("fours", pool((1, 9, 8, 4), (4, 4), (4, 4))),
        Case("sixes", pool((1, 9, 8, 3), (2, 3))),
        Case("window_90", pool((1, 9, 10, 5), (9, 10))),
        Case("window_96", pool((1, 8, 12, 5), (8, 12))),
        Case("window_256", pool((1, 16, 16, 5), (16, 16))),
        Case("window_272", pool((1, 16, 17, 5), (16, 17))),
        Case("one_element", pool((1, 1, 1, 1), (1, 1))),
    )
    rejected = (
        refused("points", pool(points=(3, 4)), "the same quantisation"),
        refused("activation", pool(activation="RELU"), "an activation is not part of it"),
    )
    oracle = "numpy"

    def test_halves_go_to_even_before_the_zero_point(self) -> None:
        x = np.random.default_rng(0).integers(-128, 128, (1, 6, 6, 4)).astype(np.int8)
        (y,) = self.in_numpy(pool(x.shape)).run([x])
        sums = (x.astype(np.float64) - 3).reshape(1, 3, 2, 3, 2, 4).sum(axis=(2, 4))
        assert np.array_equal(y, np.rint(sums / 4) + 3)


def test_reciprocals_give_every_mean() -> None:
    """EvenMean of lanes.h, before halves go to even, and exact means of every sum it takes."""
    for count in range(1, 91):
        sums = np.arange(-255 * count, 255 * count + 1, dtype=np.int64)
        products = sums * ((1 << 22) // count + 1) + (1 << 21)
        assert np.abs(products).max() < 1 << 31, count
        away = np.sign(sums) * ((np.abs(sums) + count // 2) // count)
        assert np.array_equal(products >> 22, away), count

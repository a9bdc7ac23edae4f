"""AverageRows: one row of every window, and row after row of several windows."""

from opsmith.testing.op_tests import *


def rows(
    size: tuple[int, ...] = (1, 1, 6, 4),
    height: int = 3,
    window: int = 2,
    stride: int = 2,
    padding: str = "VALID",
    y_scale: float = 0.1,
    activation: str = "NONE",
) -> Build:
    """Pooling of a model's rows to build."""
    reach = size[2] if padding == "SAME" else size[2] - window + 1
    y = (1, 1, -(-reach // stride), size[3])
    sizes = {"window_height": height, "window_width": window, "stride_width": stride}
    return custom_node(
        "OpsmithAverageRows",
        {"x": (size, "int8", 0.1, 4)},
        {"y": (y, "int8", y_scale, 4)},
        {**sizes, "padding": padding, "activation": activation},
    )


CASES = (
    Case("usual", rows()),
    Case("one_pixel", rows((1, 1, 1, 1), 1, 1, 1)),
    Case("all_of_a_row", rows((1, 1, 5, 64), 25, 5, 5)),
    Case("same", rows((1, 1, 7, 3), 2, 3, 2, "SAME")),
    Case("clamped", rows((1, 1, 4, 5), 2, 1, 1, activation="RELU6")),
    Case("other_scale", rows(y_scale=0.2)),
)


class TestAverageRows(OpTests):
    cases = CASES
    rejected = (
        refused("image", rows((1, 2, 6, 4)), "must be one row of one image"),
        refused("none", rows(height=0), "a window of 0x2 cannot be"),
    )
    oracle = "numpy"

    def test_the_last_row_of_a_window_gives_the_mean_of_all(self) -> None:
        asked = self.in_numpy(CASES[0].build)
        image = np.random.default_rng(0).integers(-128, 128, (9, 6, 4))
        for i, row in enumerate(image):
            (y,) = asked.run([row.astype(np.int8).reshape(1, 1, 6, 4)])
            if i % 3 == 2:
                sums = image[i - 2 : i + 1].reshape(3, 3, 2, 4).sum(axis=(0, 2))
                wanted = np.sign(sums) * ((np.abs(sums) + 3) // 6)
                np.testing.assert_array_equal(y[0, 0], wanted)

    @pytest.mark.slow
    def test_kernels_keep_the_sums(self) -> None:
        random = np.random.default_rng(1)
        sets = [
            [random.integers(-128, 128, (1, 1, *size)).astype(np.int8) for size in ((6, 4), (7, 3))]
            for _ in range(7)
        ]
        self.check_kernels([CASES[0], CASES[3]], sets)

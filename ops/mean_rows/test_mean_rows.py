"""MeanRows: one row of an image, and row after row of several images."""

from opsmith.testing.op_tests import *


def rows(size: tuple[int, ...] = (1, 1, 3, 4), count: int = 3, y_scale: float = 0.1) -> Build:
    """Mean of `count` rows to build."""
    return custom_node(
        "OpsmithMeanRows",
        {"x": (size, "int8", 0.1, 4)},
        {"y": ((1, 1, 1, size[3]), "int8", y_scale, -3)},
        {"rows": count},
    )


CASES = (
    Case("usual", rows()),
    Case("one_pixel", rows((1, 1, 1, 1), 1)),
    Case("line", rows((1, 1, 1, 64), 50)),
    Case("saturated", rows(count=1, y_scale=0.01)),
    Case("other_scale", rows(y_scale=0.2)),
    Case("as_many_as_mean_takes", rows((1, 1, 1, 2), 8421503)),
)


class TestMeanRows(OpTests):
    cases = CASES
    rejected = (
        refused("image", rows((1, 2, 6, 4)), "must be one row of one image"),
        refused("more", rows((1, 1, 1, 2), 8421504), "of 8421504 rows of 1 pixels cannot be"),
        refused("none", rows(count=0), "an image of 0 rows of 3 pixels cannot be"),
    )
    oracle = "numpy"

    def test_the_last_row_of_an_image_gives_the_mean_of_all(self) -> None:
        asked = self.in_numpy(CASES[0].build)
        image = np.random.default_rng(0).integers(-128, 128, (6, 3, 4))
        for i, row in enumerate(image):
            (y,) = asked.run([row.astype(np.int8).reshape(1, 1, 3, 4)])
            if i % 3 == 2:
                means = (image[i - 2 : i + 1] - 4).mean(axis=(0, 1))
                np.testing.assert_allclose(y[0, 0, 0] + 3, np.clip(means, -125, 130), atol=0.51)

    @pytest.mark.slow
    def test_kernels_keep_the_sums(self) -> None:
        random = np.random.default_rng(1)
        sets = [
            [
                random.integers(-128, 128, (1, 1, *size)).astype(np.int8)
                for size in ((3, 4), (1, 64))
            ]
            for _ in range(7)
        ]
        self.check_kernels([CASES[0], CASES[2]], sets)

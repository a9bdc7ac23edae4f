"""Bucketize: every type, elements on boundaries, equal boundaries, and ones that do not ascend."""

from opsmith.testing.op_tests import *

BOUNDARIES = (-np.inf, -100.0, -1.0, 0.0, 0.5, 0.5, 3.0, 2e9)
REALS = ("float32", "float64")


def bucketize(x: Sequence[int], dtype: str = "float32", boundaries: object = BOUNDARIES) -> Build:
    """BUCKETIZE to build."""
    given = np.array(boundaries, np.float32).tolist()
    made = {"y": (x, "int32")}
    return one_node("BUCKETIZE", {"x": (x, dtype)}, made, {"boundaries": given})


class TestBucketize(OpTests):
    cases = (
        *(Case(dtype, bucketize((3, 17), dtype)) for dtype in ("int32", "int64", *REALS)),
        Case("one_boundary", bucketize((9,), boundaries=(0.25,))),
        Case("one_element", bucketize((1,), "int32")),
        Case("scalar", bucketize((), "int64")),
    )
    rejected = (
        refused("falls", bucketize((3,), boundaries=(1.0, 0.5)), "boundaries must ascend"),
        refused("unknown", bucketize((3,), boundaries=(0.0, np.nan)), "boundaries must ascend"),
        refused("none", bucketize((3,), boundaries=()), "boundaries are none"),
    )

    @pytest.mark.slow
    def test_kernels_find_boundaries_themselves_and_nan(self) -> None:
        x = [np.array([*BOUNDARIES, np.nan, np.inf, -0.0], dtype) for dtype in REALS]
        cases = [Case(dtype, bucketize((11,), dtype)) for dtype in REALS]
        self.check_kernels(cases, [x])

"""SegmentSum: both types, rows of several axes, and ids that do not ascend."""

from opsmith.testing.op_tests import *


def segment_sum(x: Sequence[int], ids: Sequence[int], dtype: str = "float32") -> Build:
    """SEGMENT_SUM to build."""
    y = (max(ids) + 1, *x[1:])
    return one_node(
        "SEGMENT_SUM", {"x": (x, dtype), "ids": np.array(ids, np.int32)}, {"y": (y, dtype)}
    )


class TestSegmentSum(OpTests):
    oracle = "optimised"  # LiteRT has no other kernel
    cases = (
        Case("float32", segment_sum((7, 5), (0, 0, 0, 1, 2, 2, 2))),
        Case("int32", segment_sum((4, 2, 3), (0, 1, 1, 2), "int32")),
        Case("vector", segment_sum((3,), (0, 0, 0))),
        Case("one_element", segment_sum((1,), (0,), "int32")),
    )
    rejected = (
        refused("late", segment_sum((2, 3), (1, 1)), "must begin with 0 and ascend"),
        refused("gap", segment_sum((2, 3), (0, 2)), "must begin with 0 and ascend"),
        refused("falls", segment_sum((3, 3), (0, 1, 0)), "must begin with 0 and ascend"),
        refused("few", segment_sum((3, 3), (0, 1)), "ids i32[2] must have the first sizes"),
    )

"""BroadcastArgs: shapes that are constant or inputs, of both types, against LiteRT."""

from opsmith.testing.op_tests import *


def known(a: Sequence[int], b: Sequence[int], dtype: str = "int32") -> Build:
    """BROADCAST_ARGS of two constant shapes to build, which is folded."""
    return one_node(
        "BROADCAST_ARGS",
        {"a": np.array(a, dtype), "b": np.array(b, dtype)},
        {"y": ((max(len(a), len(b)),), dtype)},
    )


def of_input(rank: int, b: Sequence[int], dtype: str = "int32") -> Build:
    """BROADCAST_ARGS of an input shape and a constant one to build."""
    a: Given = ((rank,), dtype)
    return one_node(
        "BROADCAST_ARGS",
        {"a": a, "b": np.array(b, dtype)},
        {"y": ((max(rank, len(b)),), dtype)},
    )


class TestBroadcastArgs(OpTests):
    cases = cases(
        int32=of_input(2, (1, 1)),
        int64=of_input(2, (1, 1), "int64"),
        longer=of_input(3, (1,)),
        shorter=of_input(1, (7, 5, 1)),
        known=known((2, 1, 3), (4, 1)),
        one_element=known((1,), (5,), "int64"),
    )
    rejected = (refused("sizes", known((2, 3), (2, 4)), "(2, 3), (2, 4) do not broadcast"),)

    @pytest.mark.slow
    def test_kernels_take_shapes_of_inputs(self) -> None:
        """Compares shapes that broadcast, which random numbers do not."""
        both = one_node(
            "BROADCAST_ARGS",
            {"a": ((3,), "int32"), "b": ((2,), "int32")},
            {"y": ((3,), "int32")},
        )
        values = [[2, 1, 3], [4, 1]], [[5, 4, 1], [1, 6]], [[1, 1, 1], [1, 1]]
        sets = [[np.array(each, np.int32) for each in shapes] for shapes in values]
        self.check_kernels([Case("both", both)], sets)

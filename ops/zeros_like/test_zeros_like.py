"""ZerosLike: every element type, against LiteRT."""

from opsmith.testing.op_tests import *


def zeros_like(dtype: str, x: Sequence[int] = (3, 7)) -> Build:
    """ZEROS_LIKE to build."""
    return one_node("ZEROS_LIKE", {"x": (x, dtype)}, {"y": (x, dtype)})


class TestZerosLike(OpTests):
    cases = (
        *(Case(dtype, zeros_like(dtype)) for dtype in ("int32", "int64", "float32")),
        Case("scalar", zeros_like("int32", ())),
        Case("rank_5", zeros_like("float32", (2, 1, 3, 2, 2))),
        Case("of_constant", of_constants(zeros_like("int32"))),
    )
    beyond_litert = (Case("int8", zeros_like("int8")),)

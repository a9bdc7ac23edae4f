"""MatrixSetDiag: every type, square, wide and high matrices, and diagonals that do not fit."""

from opsmith.testing.op_tests import *

TYPES = ("int8", "uint8", "int16", "int32", "int64", "float32")


def set_diag(x: Sequence[int], diagonal: Sequence[int], dtype: str = "float32") -> Build:
    """MATRIX_SET_DIAG to build."""
    given = {"x": (x, dtype), "diagonal": (diagonal, dtype)}
    return one_node("MATRIX_SET_DIAG", given, {"y": (x, dtype)})


class TestMatrixSetDiag(OpTests):
    cases = (
        *(Case(dtype, set_diag((3, 5, 5), (3, 5), dtype)) for dtype in TYPES),
        Case("wide", set_diag((2, 7), (2,))),
        Case("high", set_diag((2, 2, 5, 3), (2, 2, 3))),
        Case("one_element", set_diag((1, 1), (1,), "int8")),
    )
    rejected = (
        refused("vector", set_diag((3,), (3,)), "must have 2 dimensions or more"),
        refused("long", set_diag((2, 3), (3,)), "must have shape [2]"),
    )

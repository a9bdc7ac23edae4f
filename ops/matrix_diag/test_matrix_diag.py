"""MatrixDiag: every type, rows of several axes, and single elements."""

from opsmith.testing.op_tests import *

TYPES = ("int8", "uint8", "int16", "int32", "int64", "float32")


def matrix_diag(x: Sequence[int], dtype: str = "float32") -> Build:
    """MATRIX_DIAG to build."""
    y = (*x, *x[-1:])
    return one_node("MATRIX_DIAG", {"x": (x, dtype)}, {"y": (y, dtype)})


class TestMatrixDiag(OpTests):
    cases = (
        *(Case(dtype, matrix_diag((3, 5), dtype)) for dtype in TYPES),
        Case("vector", matrix_diag((4,))),
        Case("rank_4", matrix_diag((2, 1, 3, 2))),
        Case("one_element", matrix_diag((1,), "int8")),
    )
    rejected = (refused("scalar", matrix_diag(()), "must have 1 dimension or more"),)

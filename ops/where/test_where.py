"""Where: constants of every type and rank."""

import numpy.typing as npt

from opsmith.testing.op_tests import *

TYPES = ("bool", "int8", "uint8", "int32", "int64", "uint32", "float32")
SOME = [[0, 1, 0], [2, 0, 3]]


def where(values: npt.ArrayLike, dtype: str = "int8", rows: int = 3) -> Build:
    """WHERE of a constant to build."""

    def build(m: ModelWriter) -> None:
        condition = m.constant("condition", np.array(values, dtype))
        y = m.value("WHERE", [condition], m.tensor("y", (rows, len(condition.shape)), "int64"))
        m.output(y)

    return build


def of_input(m: ModelWriter) -> None:
    x = m.input("x", (4,), "bool")
    m.output(m.value("WHERE", [x], m.tensor("y", (1, 1), "int64", signature=(-1, 1))))


def gathered(m: ModelWriter) -> None:
    """Add a gather of an input's elements at positions of a where."""
    condition, x = m.constant("condition", np.array(SOME, np.bool_)), m.input("x", (2, 3))
    positions, y = m.tensor("positions", (3, 2), "int64"), m.tensor("y", (3,))
    m.node("WHERE", [condition], [positions])
    m.node("GATHER_ND", [x, positions], [y])
    m.output(y, positions)


class TestWhere(OpTests):
    cases = (
        *(Case(dtype, where(SOME, dtype)) for dtype in TYPES),
        Case("gathered", gathered),
        Case("vector", where([1, 0, 0, 1, 1])),
        Case("one", where([5], rows=1)),
        Case("rank_six", where(np.arange(4).reshape(1, 2, 1, 1, 2, 1))),
        Case("signs", where([0.0, -0.0, np.nan, -np.inf], "float32", rows=2)),
    )
    rejected = (
        refused("of_input", of_input, "'condition' must be a constant"),
        refused("scalar", where(1, rows=1), "condition is one number, which has no positions"),
    )

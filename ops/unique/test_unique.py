"""Unique: constants of every type, and nodes that use its outputs."""

import numpy.typing as npt

from opsmith.testing.op_tests import *

TYPES = ("int8", "int16", "int32", "int64", "uint8", "float32")
SOME = [3, 1, 3, 0, 1, 7]


def unique(
    values: npt.ArrayLike = SOME, dtype: str = "int32", place: str = "int32", option: str = ""
) -> Build:
    """UNIQUE of a constant to build."""
    x = np.array(values, dtype)
    y = {"y": ((np.unique(x).size,), dtype), "place": (x.shape, place)}
    return one_node("UNIQUE", {"x": x}, y, {"idx_out_type": (option or place).upper()})


def of_input(m: ModelWriter) -> None:
    x, y = m.input("x", (4,), "int32"), m.tensor("y", (1,), "int32", signature=(-1,))
    m.node("UNIQUE", [x], [y, m.tensor("place", (4,), "int32")], {"idx_out_type": "INT32"})
    m.output(y)


def gathered(m: ModelWriter) -> None:
    """Add a gather of an input's rows that a unique names, each once."""
    x, ids = m.input("x", (8, 3), "float32"), m.constant("ids", np.array(SOME, np.int32))
    y, place = m.tensor("y", (4,), "int32"), m.tensor("place", (6,), "int32")
    rows = m.tensor("rows", (4, 3), "float32")
    m.node("UNIQUE", [ids], [y, place], {"idx_out_type": "INT32"})
    m.node("GATHER", [x, y], [rows])
    m.output(rows, place)


class TestUnique(OpTests):
    cases = (
        *(Case(dtype, unique(dtype=dtype)) for dtype in TYPES),
        *(Case(f"{dtype}_int64", unique(dtype=dtype, place="int64")) for dtype in TYPES),
        Case("gathered", gathered),
        Case("one", unique([5])),
        Case("signs", unique([0.0, -0.0, np.inf, -np.inf, 1.0], "float32")),
    )
    rejected = (
        refused("of_input", of_input, "'x' must be a constant"),
        refused("matrix", unique([[1, 2]]), "x i32[1x2] must be a vector"),
        refused("nan", unique([1.0, np.nan], "float32"), "x has NaN"),
        refused("option", unique(option="int64"), "idx_out_type is INT64, and place i32[6]"),
    )

"""Split: every axis and type; parts that are views, and parts that are not."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import Moving, numbers

split = Moving("SPLIT", "axis", "x", options=("num_splits",))
TYPES = ("int8", "int16", "int32", "int64", "uint8", "float32")


def in_between(m: ModelWriter) -> None:
    """Add a split whose parts other nodes read, one part twice and one not at all."""
    x = m.input("x", (4, 16), "int8", 0.5)
    a, y = m.tensor("a", (4, 16), "int8", 0.5), m.tensor("y", (2, 16), "int8", 0.5)
    parts = [m.tensor(f"p{i}", (1, 16), "int8", 0.5) for i in range(4)]
    m.node("RELU", [x], [a], version=2)
    where = m.constant("axis", numbers(0))
    m.node("SPLIT", [where, a], parts, {"num_splits": 4}, version=2)
    m.node("CONCATENATION", [parts[2], parts[0]], [y], {"axis": 0})
    m.output(y, parts[2])


class TestSplit(OpTests):
    cases = (
        *split.of_types(TYPES, (4, 6), [(4, 2)] * 3, 1, 3),
        Case("rows", split((4, 16), [(1, 16)] * 4, 0, 4)),
        Case("unaligned_rows", split((4, 5), [(2, 5)] * 2, 0, 2)),
        Case("images", split((2, 3, 4, 6), [(2, 3, 4, 3)] * 2, -1, 2)),
        Case("middle", split((2, 4, 3), [(2, 2, 3)] * 2, 1, 2)),
        Case("one", split((2, 3), [(2, 3)] * 1, 1, 1)),
        Case("of_one_element", split((7,), [(1,)] * 7, 0, 7)),
        Case("rank_6", split((2, 1, 2, 1, 4, 2), [(2, 1, 2, 1, 2, 2)] * 2, 4, 2)),
        Case("in_between", in_between),
        Case("other_scale", split((4, 6), [(4, 2)] * 3, 1, 3, scale={"y2": 0.25})),
    )
    rejected = (
        refused("stated", split((4, 6), [(4, 2)] * 3, 1, 2), "num_splits is 2 for 3 outputs"),
        refused("rest", split((4, 7), [(4, 2)] * 3, 1, 3), "does not divide into 3 parts"),
    )

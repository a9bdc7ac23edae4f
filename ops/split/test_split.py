"""Split: every axis and type; parts that are views and parts that are not."""

from __future__ import annotations

from typing import Any

from runtimes.families.movement_cases import Build, Given, Shape, moving, numbers
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, refused
from toolchain.testing.tflite_writer import ModelWriter


def split(x: Shape, axis: int, count: int, told: int = 0, **others: Any) -> Build:
    """A split to build."""
    part = [*x]
    part[axis] //= count
    given: Given = {"axis": numbers(axis), "x": x}
    return moving("SPLIT", given, [part] * count, {"num_splits": told or count}, **others)


def in_between(m: ModelWriter) -> None:
    """Parts that others read, one of them twice and one not at all."""
    x = m.input("x", (4, 16), "int8", 0.5)
    a, y = m.tensor("a", (4, 16), "int8", 0.5), m.tensor("y", (2, 16), "int8", 0.5)
    parts = [m.tensor(f"p{i}", (1, 16), "int8", 0.5) for i in range(4)]
    m.node("RELU", [x], [a], version=2)
    where = m.constant("axis", numbers(0))
    m.node("SPLIT", [where, a], parts, {"num_splits": 4}, version=2)
    m.node("CONCATENATION", [parts[2], parts[0]], [y], {"axis": 0})
    m.output(y, parts[2])


TYPES = ("int8", "int16", "int32", "int64", "uint8", "float32")


class TestSplit(OpTests):
    cases = (
        *(Case(dtype, split((4, 6), 1, 3, dtype=dtype)) for dtype in TYPES),
        Case("rows", split((4, 16), 0, 4)),
        Case("unaligned_rows", split((4, 5), 0, 2)),
        Case("images", split((2, 3, 4, 6), -1, 2)),
        Case("middle", split((2, 4, 3), 1, 2)),
        Case("one", split((2, 3), 1, 1)),
        Case("of_one_element", split((7,), 0, 7)),
        Case("rank_6", split((2, 1, 2, 1, 4, 2), 4, 2)),
        Case("in_between", in_between),
        Case("other_scale", split((4, 6), 1, 3, scale={"y2": 0.25})),
    )
    rejected = (
        refused("told", split((4, 6), 1, 3, told=2), "num_splits is 2 for 3 outputs"),
        refused("rest", split((4, 7), 1, 3), "does not divide into 3 parts"),
    )

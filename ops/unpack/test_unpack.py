"""Unpack: every axis and type."""

from __future__ import annotations

from pathlib import Path

from runtimes.families.movement_cases import Build, Shape, moving
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected


def unpack(x: Shape, axis: int, dtype: str = "int8", scale: float = 0.5, told: int = 0) -> Build:
    """An unpacking to build."""
    count, rest = x[axis], [*x]
    del rest[axis]
    options = {"axis": axis, "num": told or count}
    return moving("UNPACK", {"x": x}, [rest] * count, options, dtype=dtype, scale=scale)


TYPES = ("int8", "int16", "int32", "uint8", "bool", "float32")
CASES = (
    *(Case(dtype, unpack((3, 5), 0, dtype)) for dtype in TYPES),
    Case("rows", unpack((3, 16), 0)),
    Case("columns", unpack((3, 5), 1)),
    Case("images", unpack((2, 3, 2, 4), -1)),
    Case("middle", unpack((2, 3, 4), -2)),
    Case("scalars", unpack((3,), 0)),
    Case("rank_6", unpack((2, 1, 2, 1, 3, 2), 4)),
)
REJECTED = (
    Rejected(Case("told", unpack((3, 5), 0, told=2)), "num is 2 for axis 0"),
    Rejected(Case("scale", unpack((3, 5), 0, scale=0.25)), "quantised as x is"),
)


class TestUnpack(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

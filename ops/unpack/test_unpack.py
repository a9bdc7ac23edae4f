"""Unpack: every axis and type."""

from __future__ import annotations

from typing import Any

from runtimes.families.movement_cases import Build, Shape, moving
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, refused

TYPES = ("int8", "int16", "int32", "uint8", "bool", "float32")


def unpack(x: Shape, axis: int, told: int = 0, **others: Any) -> Build:
    """An unpacking to build."""
    rest = [*x]
    parts = [rest] * rest.pop(axis)
    options = {"axis": axis, "num": told or len(parts)}
    return moving("UNPACK", {"x": x}, parts, options, **others)


class TestUnpack(OpTests):
    cases = (
        *(Case(dtype, unpack((3, 5), 0, dtype=dtype)) for dtype in TYPES),
        Case("rows", unpack((3, 16), 0)),
        Case("columns", unpack((3, 5), 1)),
        Case("images", unpack((2, 3, 2, 4), -1)),
        Case("middle", unpack((2, 3, 4), -2)),
        Case("scalars", unpack((3,), 0)),
        Case("rank_6", unpack((2, 1, 2, 1, 3, 2), 4)),
    )
    rejected = (
        refused("told", unpack((3, 5), 0, told=2), "num is 2 for axis 0"),
        refused(
            "scale",
            unpack((3, 5), 0, scale={"y1": 0.25}),
            "tensor 1 of y must be",
        ),
    )

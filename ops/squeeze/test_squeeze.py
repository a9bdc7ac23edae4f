"""Squeeze: all axes, named ones, every type."""

from __future__ import annotations

from runtimes.families.movement_cases import EVERY_TYPE_NAME, Build, Shape, moving
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, refused


def squeeze(x: Shape, y: Shape, *axes: int, dtype: str = "int8") -> Build:
    """A squeeze to build."""
    options = {"squeeze_dims": axes} if axes else {}
    return moving("SQUEEZE", {"x": x}, [y], options, dtype=dtype, version=1)


class TestSqueeze(OpTests):
    cases = (
        *(Case(dtype, squeeze((1, 4, 1, 3), (4, 3), dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        Case("named", squeeze((1, 4, 1, 3), (1, 4, 3), 2)),
        Case("from_behind", squeeze((1, 4, 1, 3), (4, 3), -2, 0)),
        Case("nothing", squeeze((4, 3), (4, 3))),
        Case("to_scalar", squeeze((1, 1), ())),
    )
    rejected = (
        refused("size", squeeze((1, 4), (1,), 1), "has no axes [1] of size 1"),
        refused("beyond", squeeze((1, 4), (4,), 2), "has no axes [2] of size 1"),
    )

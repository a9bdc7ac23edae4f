"""SplitV: sizes that differ, one that is left, every type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runtimes.families.movement_cases import Build, Given, Shape, moving, numbers
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected


def split(
    x: Shape,
    axis: int,
    sizes: Sequence[int],
    dtype: str = "int8",
    scale: float = 0.5,
    parts: Sequence[int] | None = None,
) -> Build:
    """A split into these sizes to build, which the model tells unless it has others."""
    made = []
    for size in sizes if parts is None else parts:
        made.append([*x])
        made[-1][axis] = size
    given: Given = {"x": x, "sizes": numbers(sizes), "axis": numbers(axis)}
    return moving("SPLIT_V", given, made, {"num_splits": len(made)}, dtype=dtype, scale=scale)


TYPES = ("int8", "int16", "int32", "int64", "uint8", "float32")
CASES = (
    *(Case(dtype, split((4, 6), 1, (1, 3, 2), dtype)) for dtype in TYPES),
    Case("rest", split((9,), 0, (2, -1, 3), parts=(2, 4, 3))),
    Case("rows", split((6, 16), 0, (1, 5))),
    Case("images", split((2, 3, 4, 6), -1, (5, 1))),
    Case("rank_6", split((2, 1, 2, 1, 4, 2), 4, (1, 3))),
)
REJECTED = (
    Rejected(Case("sum", split((4, 6), 1, (1, 3, 1))), "does not divide into [1, 3, 1]"),
    Rejected(Case("two_rests", split((6,), 0, (-1, -1), parts=(3, 3))), "into [-1, -1]"),
    Rejected(Case("no_rest", split((6,), 0, (6, -1), parts=(5, 1))), "into [6, 0]"),
    Rejected(Case("count", split((6,), 0, (3, 3), parts=(6,))), "sizes [3, 3] for 1 outputs"),
    Rejected(Case("scale", split((4, 6), 1, (1, 5), scale=0.25)), "quantised as x is"),
)


class TestSplitV(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

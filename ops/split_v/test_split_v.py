"""SplitV: unequal sizes, one that is the rest, every type."""

from typing import Any

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import Build, Given, Shape, moving, numbers

TYPES = ("int8", "int16", "int32", "int64", "uint8", "float32")


def split(x: Shape, axis: int, sizes: Shape, parts: Shape | None = None, **others: Any) -> Build:
    """Split to build into these sizes; `parts` are other shapes that the model states."""
    at = axis % len(x)
    made = [(*x[:at], size, *x[at + 1 :]) for size in (sizes if parts is None else parts)]
    given: Given = {"x": x, "sizes": numbers(sizes), "axis": numbers(axis)}
    return moving("SPLIT_V", given, made, {"num_splits": len(made)}, **others)


class TestSplitV(OpTests):
    cases = (
        *(Case(dtype, split((4, 6), 1, (1, 3, 2), dtype=dtype)) for dtype in TYPES),
        Case("rest", split((9,), 0, (2, -1, 3), parts=(2, 4, 3))),
        Case("nothing", split((4, 6), 1, (0, 2, 0, 4))),
        Case("no_rest", split((6,), 0, (6, -1), parts=(6, 0))),
        Case("rows", split((6, 16), 0, (1, 5))),
        Case("images", split((2, 3, 4, 6), -1, (5, 1))),
        Case("rank_6", split((2, 1, 2, 1, 4, 2), 4, (1, 3))),
        Case("other_scale", split((4, 6), 1, (1, 5), scale={"y0": 0.25})),
    )
    rejected = (
        refused("sum", split((4, 6), 1, (1, 3, 1)), "does not divide into [1, 3, 1]"),
        refused("two_rests", split((6,), 0, (-1, -1), parts=(3, 3)), "into [-1, -1]"),
        refused("beyond", split((6,), 0, (7, -1), parts=(5, 1)), "into [7, -1]"),
        refused("count", split((6,), 0, (3, 3), parts=(6,)), "sizes [3, 3] for 1 outputs"),
    )

"""DynamicUpdateSlice: every type, at known and computed positions, also beyond the tensor."""

from typing import Any

import numpy as np

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Build, Given, Shape, moving, numbers


def update(x: Shape, part: Shape, start: Shape, wide: bool = False, **others: Any) -> Build:
    """Update to build; its positions are int64 if `wide`."""
    at = np.array(start, np.int64) if wide else numbers(start)
    given: Given = {"x": x, "update": part, "start": at}
    return moving("DYNAMIC_UPDATE_SLICE", given, [x], version=1, **others)


class TestDynamicUpdateSlice(OpTests):
    cases = (
        *(Case(t, update((4, 5), (2, 3), (1, 2), dtype=t)) for t in EVERY_TYPE_NAME),
        *(
            Case(f"{t}_int64", update((4, 5), (2, 3), (1, 2), wide=True, dtype=t))
            for t in EVERY_TYPE_NAME
        ),
        Case("anywhere", update((3, 4, 5), (2, 3, 2), (0, 0, 0), known=False)),
        Case("anywhere_int64", update((9,), (2,), (0,), wide=True, known=False)),
        Case("before", update((4, 5), (2, 3), (-3, -(2**31)))),
        Case("beyond", update((4, 5), (2, 3), (3, 2**31 - 1))),
        Case("all", update((4, 5), (4, 5), (0, 0), known=False)),
        Case("row", update((8, 16), (1, 16), (0, 0), known=False)),
        Case("one_element", update((1,), (1,), (0,))),
        Case("rank_6", update((2, 3, 1, 2, 3, 2), (1, 2, 1, 2, 1, 2), (1, 0, 0, 0, 2, 0))),
    )
    rejected = (
        refused("large", update((4, 5), (2, 6), (0, 0)), "does not fit into x i8[4x5]"),
        refused("rank", update((4, 5), (2,), (0, 0)), "does not fit into x i8[4x5]"),
        refused("start", update((4, 5), (2, 3), (0,)), "start i32[1] must have one number per"),
        refused("scale", update((4,), (2,), (0,), scale={"y": 0.25}), "quantised as x is"),
        refused("part", update((4,), (2,), (0,), scale={"update": 0.25}), "update must be quan"),
    )

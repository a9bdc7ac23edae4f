"""StridedSlice: both directions, positions counted from the end and beyond it, and every mask."""

from typing import Any

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Build, Given, Shape, moving, numbers

MASKS = ("begin_mask", "end_mask", "shrink_axis_mask", "ellipsis_mask", "new_axis_mask")


def cut(
    x: Shape, y: Shape, begin: Shape, end: Shape, strides: Shape | None = None, **others: Any
) -> Build:
    """Slice to build, by default of strides one; `others` are masks and arguments of `moving`."""
    given: Given = {
        "x": x,
        "begin": numbers(begin),
        "end": numbers(end),
        "strides": numbers([1] * len(begin) if strides is None else strides),
    }
    options = {mask: others.pop(mask, 0) for mask in MASKS}
    options["offset"] = others.pop("offset", False)
    return moving("STRIDED_SLICE", given, [y], options, version=4, **others)


def image(**others: Any) -> Build:
    """Slice of an image to build: every second row, columns back to front."""
    bounds = (0, 1, 5, 0), (1, 7, 1, 3), (1, 2, -2, 1)
    return cut((1, 8, 6, 3), (1, 3, 2, 3), *bounds, **others)


class TestStridedSlice(OpTests):
    cases = (
        *(
            Case(dtype, cut((7, 5), (3, 2), (1, 3), (7, 0), (2, -2), dtype=dtype))
            for dtype in EVERY_TYPE_NAME
        ),
        Case("part", cut((257,), (236,), (5,), (241,), dtype="int32")),
        Case("part_float64", cut((257,), (236,), (5,), (241,), dtype="float64")),
        Case("image_int16", image(dtype="int16")),
        Case("all", cut((4, 5), (4, 5), (0, 0), (4, 5))),
        Case("one_element", cut((4, 5), (1, 1), (3, 4), (4, 5))),
        Case("from_behind", cut((9,), (4,), (-6,), (-2,))),
        Case("beyond", cut((9,), (9,), (-20,), (20,))),
        Case("backwards", cut((9,), (9,), (20,), (-20,), (-1,))),
        Case("backwards_by_three", cut((10,), (3,), (8,), (0,), (-3,))),
        Case("by_three", cut((10,), (3,), (1,), (10,), (3,))),
        Case("far_stride", cut((10,), (1,), (1,), (10,), (2**31 - 1,))),
        Case("begin_mask", cut((9,), (5,), (3,), (5,), begin_mask=1)),
        Case("end_mask", cut((9,), (6,), (3,), (5,), end_mask=1)),
        Case("masks_backwards", cut((9,), (5,), (3,), (5,), (-2,), begin_mask=1, end_mask=1)),
        Case("rows", cut((8, 5), (3, 5), (2, 0), (5, 5))),
        Case("columns", cut((8, 5), (8, 2), (0, 2), (8, 4))),
        Case("every_other_row", cut((8, 5), (4, 5), (0, 0), (8, 5), (2, 1))),
        Case("fewer_than_axes", cut((4, 5, 6), (2, 5, 6), (1,), (3,))),
        Case("shrink", cut((4, 5), (5,), (2, 0), (3, 5), shrink_axis_mask=1)),
        Case("shrink_behind", cut((4, 5), (4,), (0, -2), (4, 0), shrink_axis_mask=2)),
        Case("shrink_first", cut((4, 5), (5,), (3, 0), (0, 5), begin_mask=1, shrink_axis_mask=1)),
        Case("shrink_all", cut((4, 5), (), (3, 4), (0, 0), shrink_axis_mask=3)),
        Case("shrink_last", cut((1, 6, 4), (1, 4), (0, 5, 0), (1, 6, 4), shrink_axis_mask=2)),
        Case("image", image()),
        Case("new_axis", cut((4, 5), (3, 1, 5), (1, 0), (4, 0), new_axis_mask=2)),
        Case("new_last", cut((4, 5), (4, 5, 1), (0, 0), (0, 0), ellipsis_mask=1, new_axis_mask=2)),
        Case("ellipsis", cut((2, 3, 4, 5), (2, 3, 4, 2), (0, 1), (0, 3), ellipsis_mask=1)),
        Case(
            "ellipsis_between",
            cut((2, 3, 4), (3,), (1, 0, 2), (0, 0, 0), ellipsis_mask=2, shrink_axis_mask=5),
        ),
        Case("offset", cut((9,), (4,), (-6,), (4,), offset=True)),
        Case(
            "rank_6",
            cut(
                (3,) * 6,
                (1, 2, 1, 3, 3, 2),
                (0, 1, 2, 0, 0, 0),
                (1, 3, 3, 3, 3, 3),
                (1, 1, 1, 1, 1, 2),
            ),
        ),
        Case(
            "rank_5",
            cut(
                (2, 3, 4, 3, 2), (1, 2, 2, 2, 1), (1, 0, 3, 0, 0), (2, 3, 0, 3, 1), (1, 2, -2, 2, 1)
            ),
        ),
        Case("other_scale", cut((4,), (4,), (0,), (4,), scale={"y": 0.25})),
    )
    rejected = (
        refused("still", cut((4,), (4,), (0,), (4,), (0,)), "stride 0 of bounds 0"),
        refused("least", cut((4,), (1,), (3,), (0,), (-(2**31),)), "stride -2147483648"),
        refused("many", cut((4,), (4,), (0, 0), (4, 4)), "names more axes than x"),
        refused("lengths", cut((4, 4), (4, 4), (0, 0), (4,)), "end i32[1] must be a vector"),
        refused("off", cut((4,), (), (4,), (5,), shrink_axis_mask=1), "4 is not on an axis of 4"),
        refused("back", cut((4,), (), (3,), (2,), (-1,), shrink_axis_mask=1), "one position"),
        refused("no_axes", cut((4,), (4,), (0, 0), (0, 4), ellipsis_mask=1), "ellipsis of no axes"),
        refused(
            "two_ellipses",
            cut((4,), (4,), (0, 0), (0, 0), ellipsis_mask=3),
            "more than one ellipsis",
        ),
    )

"""Slice: every type, stated sizes and rests, any number of axes."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving, Shape


def left(x: Shape, begin: Shape, size: Shape) -> Shape:
    """Shape of y for a slice of x."""
    return [n - b if s == -1 else max(s, 1) for n, b, s in zip(x, begin, size, strict=False)]


cut = Moving("SLICE", "x", "begin", "size", y=left)


class TestSlice(OpTests):
    cases = (
        *cut.of_types(EVERY_TYPE_NAME, (4, 5), (1, 2), (2, 3)),
        Case("rest", cut((4, 5), (1, 2), (-1, -1))),
        Case("all", cut((4, 5), (0, 0), (4, 5))),
        Case("one_element", cut((4, 5), (3, 4), (1, 1))),
        Case("rows", cut((8, 5), (2, 0), (3, 5))),
        Case("columns", cut((8, 37), (0, 2), (8, 33))),
        Case("image", cut((2, 6, 5, 3), (1, 2, 0, 1), (1, 3, 4, 2))),
        Case("rank_6", cut((3,) * 6, (1, 0, 2, 1, 0, 1), (2, 2, 1, 2, 3, 2))),
        Case("int64_bounds", cut((4, 5), np.array((1, 2)), np.array((2, -1)))),
        Case("other_scale", cut((4,), (0,), (4,), scale={"y": 0.25})),
    )
    rejected = (
        refused("less", cut((4,), (1,), (-2,)), "axis 0 of x i8[4] has no -2 elements from 1 on"),
        refused("beyond", cut((4,), (2,), (3,)), "axis 0 of x i8[4] has no 3 elements from 2 on"),
        refused("before", cut((4,), (-1,), (2,)), "has no 2 elements from -1 on"),
        refused("output", cut((4,), (1,), (2,), y=(3,)), "'y' is i8[3] where i8[2] follows"),
        refused("short", cut((4, 5), (1,), (2,)), "begin i32[1] must have one number per axis"),
        refused(
            "far",
            cut((4,), np.array((2**40,)), np.array((1,))),
            "'begin' has the number 1099511627776",
            "MDL012",
        ),
    )

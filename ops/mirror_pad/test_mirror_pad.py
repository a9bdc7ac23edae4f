"""MirrorPad: both modes, every type, borders along each axis up to the largest."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving, Shape

NONE = (0, 0)
BORDERS = ((1, 0), (2, 1))


def bordered(x: Shape, borders: Sequence[Shape], mode: str = "") -> Shape:
    """Shape of y for an x with these borders."""
    return [max(n + sum(border), 1) for n, border in zip(x, borders, strict=False)]


pad = Moving("MIRROR_PAD", "x", "paddings", options=("mode",), y=bordered)


class TestMirrorPad(OpTests):
    cases = (
        *pad.of_types(EVERY_TYPE_NAME, (2, 3), BORDERS),
        Case("symmetric", pad((2, 3), BORDERS, "SYMMETRIC")),
        Case("image", pad((1, 4, 5, 3), (NONE, (1, 2), (2, 1), NONE))),
        Case("image_symmetric", pad((1, 4, 5, 3), (NONE, (4, 1), (0, 5), NONE), "SYMMETRIC")),
        Case("channels", pad((2, 3, 4), (NONE, NONE, (3, 1)))),
        Case("rows_alone", pad((2, 3, 4), ((1, 1), NONE, NONE))),
        Case("nothing", pad((2, 3), (NONE, NONE))),
        Case("one_element", pad((1,), ((1, 1),), "SYMMETRIC")),
        Case("rank_5", pad((2, 1, 3, 2, 3), ((1, 0), NONE, (0, 1), (1, 1), (2, 0)))),
        Case("int64_paddings", pad((2, 3), np.array(BORDERS))),
    )
    rejected = (
        refused("reflect", pad((3,), ((3, 0),)), "borders [3, 0] of axis 0 are not 0 to 2"),
        refused("symmetric", pad((3,), ((0, 4),), "SYMMETRIC"), "[0, 4] of axis 0 are not 0 to 3"),
        refused("negative", pad((3,), ((-1, 0),)), "borders [-1, 0] of axis 0 are not 0 to 2"),
        refused("rows", pad((3, 3), ((1, 1),)), "paddings i32[1x2] must be 2x2"),
        refused("scale", pad((3,), ((1, 0),), scale={"y": 0.25}), "quantised as x is"),
    )

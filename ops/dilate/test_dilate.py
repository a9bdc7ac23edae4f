"""Dilate: every type, any axes, and elements that stay side by side."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME


def dilate(
    x: Sequence[int] = (3, 4),
    dilations: Sequence[int] = (2, 3),
    dtype: str = "int32",
    padding: Sequence[int] = (),
) -> Build:
    """DILATE to build."""
    y = [(size - 1) * step + 1 for size, step in zip(x, dilations, strict=False)]
    given: dict[str, Given] = {"x": (x, dtype), "dilations": np.array(dilations, np.int32)}
    return one_node("DILATE", {**given, "padding": (padding, dtype)}, {"y": (y, dtype)})


class TestDilate(OpTests):
    cases = (
        *(Case(dtype, dilate(dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        Case("rows", dilate((3, 4, 2), (2, 1, 1), padding=(1,))),
        Case("middle", dilate((2, 3, 4), (1, 4, 1), "float32")),
        Case("rank_6", dilate((2, 1, 2, 2, 1, 2), (2, 1, 1, 3, 2, 2), "int8")),
        Case("as_they_are", dilate((2, 3), (1, 1))),
        Case("one_element", dilate((1,), (5,))),
    )
    rejected = (
        refused("zero", dilate(dilations=(0, 1)), "dilations are [0, 1], which must be above 0"),
        refused("few", dilate(dilations=(2,)), "dilations i32[1] must have one number per axis"),
        refused("paddings", dilate(padding=(2,)), "padding i32[2] must be one element"),
        refused("rank_7", dilate((1,) * 7, (2,) * 7), "must have 1 to 6 dimensions"),
    )

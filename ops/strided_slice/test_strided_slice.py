"""StridedSlice: both directions, positions counted from the end and beyond it, and every mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runtimes.families.movement_cases import EVERY_TYPE_NAME, Build, numbers, scales
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Slice:
    """A slice to build: x, y, and where each axis begins, ends and how far it steps."""

    x: Sequence[int]
    y: Sequence[int]
    begin: Sequence[int]
    end: Sequence[int]
    strides: Sequence[int] | None = None  # None: ones
    begin_mask: int = 0
    end_mask: int = 0
    shrink_axis_mask: int = 0
    ellipsis_mask: int = 0
    new_axis_mask: int = 0
    offset: bool = False
    dtype: str = "int8"
    scale: float = 0.5
    constant: bool = True

    def __call__(self, m: ModelWriter) -> None:
        x = m.input("x", self.x, self.dtype, scales(self.dtype))
        y = m.tensor("y", self.y, self.dtype, scales(self.dtype, self.scale))
        strides = [1] * len(self.begin) if self.strides is None else self.strides
        given = zip(("begin", "end", "strides"), (self.begin, self.end, strides), strict=True)
        vectors = [(name, numbers(values)) for name, values in given]
        if self.constant:
            inputs = [x, *(m.constant(name, values) for name, values in vectors)]
        else:
            inputs = [x, *(m.input(name, values.shape, "int32") for name, values in vectors)]
        masks = ("begin_mask", "end_mask", "shrink_axis_mask", "ellipsis_mask", "new_axis_mask")
        options = {name: getattr(self, name) for name in (*masks, "offset")}
        m.node("STRIDED_SLICE", inputs, [y], options, version=4)
        m.output(y)


def typed(dtype: str) -> Build:
    return Slice((7, 5), (3, 2), (1, 3), (7, 0), (2, -2), dtype=dtype)


CASES = (
    *(Case(dtype, typed(dtype)) for dtype in EVERY_TYPE_NAME),
    Case("part", Slice((257,), (236,), (5,), (241,), dtype="int32")),
    Case("part_float64", Slice((257,), (236,), (5,), (241,), dtype="float64")),
    Case("image_int16", Slice((1, 8, 6, 3), (1, 3, 2, 3), (0, 1, 5, 0), (1, 7, 1, 3), (1, 2, -2, 1),
                              dtype="int16")),
    Case("all", Slice((4, 5), (4, 5), (0, 0), (4, 5))),
    Case("one_element", Slice((4, 5), (1, 1), (3, 4), (4, 5))),
    Case("from_behind", Slice((9,), (4,), (-6,), (-2,))),
    Case("beyond", Slice((9,), (9,), (-20,), (20,))),
    Case("backwards", Slice((9,), (9,), (20,), (-20,), (-1,))),
    Case("backwards_by_three", Slice((10,), (3,), (8,), (0,), (-3,))),
    Case("by_three", Slice((10,), (3,), (1,), (10,), (3,))),
    Case("far_stride", Slice((10,), (1,), (1,), (10,), (2**31 - 1,))),
    Case("begin_mask", Slice((9,), (5,), (3,), (5,), begin_mask=1)),
    Case("end_mask", Slice((9,), (6,), (3,), (5,), end_mask=1)),
    Case("masks_backwards", Slice((9,), (5,), (3,), (5,), (-2,), begin_mask=1, end_mask=1)),
    Case("rows", Slice((8, 5), (3, 5), (2, 0), (5, 5))),
    Case("columns", Slice((8, 5), (8, 2), (0, 2), (8, 4))),
    Case("every_other_row", Slice((8, 5), (4, 5), (0, 0), (8, 5), (2, 1))),
    Case("fewer_than_axes", Slice((4, 5, 6), (2, 5, 6), (1,), (3,))),
    Case("shrink", Slice((4, 5), (5,), (2, 0), (3, 5), shrink_axis_mask=1)),
    Case("shrink_behind", Slice((4, 5), (4,), (0, -2), (4, 0), shrink_axis_mask=2)),
    Case("shrink_first", Slice((4, 5), (5,), (3, 0), (0, 5), begin_mask=1, shrink_axis_mask=1)),
    Case("shrink_all", Slice((4, 5), (), (3, 4), (0, 0), shrink_axis_mask=3)),
    Case("shrink_last", Slice((1, 6, 4), (1, 4), (0, 5, 0), (1, 6, 4), shrink_axis_mask=2)),
    Case("image", Slice((1, 8, 6, 3), (1, 3, 2, 3), (0, 1, 5, 0), (1, 7, 1, 3), (1, 2, -2, 1))),
    Case("rank_5", Slice((2, 3, 4, 3, 2), (1, 2, 2, 2, 1), (1, 0, 3, 0, 0), (2, 3, 0, 3, 1),
                         (1, 2, -2, 2, 1))),
)  # fmt: skip
REJECTED = (
    Rejected(Case("still", Slice((4,), (4,), (0,), (4,), (0,))), "stride 0 along axis 0"),
    Rejected(Case("least", Slice((4,), (1,), (3,), (0,), (-(2**31),))), "stride -2147483648"),
    Rejected(Case("empty", Slice((4,), (1,), (3,), (3,))), "nothing is taken of an axis"),
    Rejected(Case("output", Slice((4,), (3,), (0,), (4,))), "'y' is i8[3] where i8[4]"),
    Rejected(Case("many", Slice((4,), (4,), (0, 0), (4, 4))), "has more elements than x"),
    Rejected(Case("lengths", Slice((4, 4), (4, 4), (0, 0), (4,))), "end i32[1] must be a vector"),
    Rejected(Case("off", Slice((4,), (), (4,), (5,), shrink_axis_mask=1)), "4 is not on axis 0"),
    Rejected(Case("back", Slice((4,), (), (3,), (2,), (-1,), shrink_axis_mask=1)), "one position"),
    Rejected(Case("ellipsis", Slice((4,), (4,), (0,), (4,), ellipsis_mask=1)), "ellipsis_mask is"),
    Rejected(Case("new_axis", Slice((4,), (4,), (0,), (4,), new_axis_mask=1)), "new_axis_mask is"),
    Rejected(Case("offset", Slice((4,), (4,), (0,), (4,), offset=True)), "offset is True"),
    Rejected(Case("rank", Slice((1,) * 6, (1,) * 6, (0,), (1,))), "more than 5 dimensions"),
    Rejected(Case("unknown", Slice((4,), (4,), (0,), (4,), constant=False)), "must be a constant"),
    Rejected(Case("scale", Slice((4,), (4,), (0,), (4,), scale=0.25)), "quantised as x is"),
)


class TestStridedSlice(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

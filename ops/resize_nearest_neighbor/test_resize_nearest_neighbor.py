"""ResizeNearestNeighbor: every type, larger and smaller, by both options."""

from opsmith.testing.op_tests import *
from runtimes.families.resize_cases import resized

TYPES = ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float32")
resize = partial(resized, "RESIZE_NEAREST_NEIGHBOR")


class TestResizeNearestNeighbor(OpTests):
    cases = (
        *(Case(dtype, resize((1, 2, 3, 2), (4, 6), dtype=dtype)) for dtype in TYPES),
        Case("doubled", resize((2, 3, 4, 5), (6, 8), half=True)),
        Case("fraction", resize((1, 3, 5, 2), (7, 8))),
        Case("fraction_half", resize((1, 3, 5, 2), (7, 8), half=True)),
        Case("fraction_corners", resize((1, 3, 5, 2), (7, 8), corners=True)),
        Case("smaller", resize((1, 9, 10, 1), (4, 3))),
        Case("smaller_half", resize((1, 9, 10, 1), (4, 3), half=True)),
        Case("smaller_corners", resize((1, 9, 10, 1), (4, 1), corners=True)),
        Case("one_element", resize((1, 1, 1, 1), (1, 1))),
        Case("rows_alone", resize((1, 4, 3, 2), (9, 3))),
        Case("first_rows", resize((2, 3, 2, 2), (1, 2))),
        Case("first_pixels", resize((2, 2, 3, 1), (1, 1))),
        Case("other_scale", resize((1, 2, 3, 2), (4, 6), scale={"y": 0.25})),
    )
    rejected = (
        refused("none", resize((1, 2, 3, 2), (0, 6)), "size [0, 6] must be a height and a width"),
        refused("three", resize((1, 2, 3, 2), (4, 6, 1)), "must be a height and a width"),
        refused(
            "huge", resize((1, 1, 1, 1), (2**31 - 1, 1), y=(1, 1, 1, 1)), "exceeds 65536 pixels"
        ),
        refused("rank", resize((2, 3, 2), (4, 6)), "must have 4 dimensions"),
        refused("scalar", resize((), (4, 6), y=()), "must have 4 dimensions"),
    )

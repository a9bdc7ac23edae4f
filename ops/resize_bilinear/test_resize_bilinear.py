"""ResizeBilinear: every type, larger and smaller, by both options."""

from opsmith.testing.op_tests import *
from runtimes.families.resize_cases import resized

TYPES = ("int8", "int16", "uint8", "float32")
resize = partial(resized, "RESIZE_BILINEAR")


class TestResizeBilinear(OpTests):
    cases = tuple(
        Case(f"{dtype}_{name}", build)
        for dtype in TYPES
        for name, build in {
            "doubled": resize((2, 3, 4, 5), (6, 8), half=True, dtype=dtype),
            "doubled_words": resize((1, 5, 3, 8), (10, 6), half=True, dtype=dtype),
            "doubled_pixel": resize((1, 2, 1, 4), (6, 2), half=True, dtype=dtype),
            "fraction": resize((1, 3, 5, 2), (7, 8), dtype=dtype),
            "fraction_half": resize((1, 3, 5, 2), (7, 8), half=True, dtype=dtype),
            "fraction_corners": resize((1, 3, 5, 2), (7, 8), corners=True, dtype=dtype),
            "camera": resize((1, 7, 9, 3), (4, 5), half=True, dtype=dtype),
            "camera_larger": resize((1, 4, 5, 3), (9, 13), half=True, dtype=dtype),
            "smaller": resize((1, 9, 10, 1), (4, 3), dtype=dtype),
            "smaller_corners": resize((1, 9, 10, 1), (4, 1), corners=True, dtype=dtype),
            "from_one_pixel": resize((1, 1, 1, 3), (3, 4), half=True, dtype=dtype),
            "one_element": resize((1, 1, 1, 1), (1, 1), dtype=dtype),
            "other_scale": resize((1, 2, 3, 2), (4, 6), dtype=dtype, scale={"y": 0.25}),
        }.items()
    )
    rejected = (
        refused(
            "both", resize((1, 2, 3, 2), (4, 6), corners=True, half=True), "exclude each other"
        ),
        refused("beyond", resize((1, 1, 1, 1), (70, 1)), "from 1 to 70 pixels TFLite reads beyond"),
        refused("none", resize((1, 2, 3, 2), (0, 6)), "size [0, 6] must be a height and a width"),
        refused(
            "huge", resize((1, 1, 1, 1), (2**31 - 1, 1), y=(1, 1, 1, 1)), "exceeds 65536 pixels"
        ),
        refused("rank", resize((2, 3, 2), (4, 6)), "must have 4 dimensions"),
    )

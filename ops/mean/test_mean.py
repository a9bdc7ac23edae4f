"""Mean: every combination of axes, and the one division by which LiteRT rounds all."""

from opsmith.testing.op_tests import *
from runtimes.families.reduction_cases import Reduction, axis_refusals

Mean = partial(Reduction, "MEAN")
OTHER = Mean(x_scale=0.07, x_zero_point=-20, y_scale=0.043, y_zero_point=9)

UNSIGNED = replace(OTHER, dtype="uint8", x_zero_point=120, y_zero_point=130)
HALFWORDS = replace(OTHER, dtype="int16", x_zero_point=0, y_zero_point=0)


FOLDED = Mean((2, 3, 4), (0, 2), x_zero_point=0, y_scale=0.3, y_zero_point=0)


class TestMean(OpTests):
    cases = (
        Case("height_width", Mean()),
        Case("height_width_keep", Mean(keep=True)),
        Case("width_height_keep", Mean(axis=(2, 1), keep=True)),
        Case("height_width_rescaled", OTHER),
        Case("height_width_keep_rescaled", replace(OTHER, keep=True)),
        Case("one_scale_two_zero_points", Mean(y_zero_point=-7)),
        Case("scalar_axis", Mean(axis=2)),
        Case("negative", Mean(axis=(-1, -3))),
        Case("repeated", Mean(axis=(1, -3, 1))),
        Case("first", Mean(x=(4, 3, 5), axis=0)),
        Case("last", Mean(x=(4, 3, 5), axis=-1)),
        Case("last_rescaled", replace(OTHER, x=(4, 3, 39), axis=-1)),
        Case("last_saturates", Mean(x=(6, 68), axis=1, x_zero_point=-128, y_scale=0.003)),
        Case("last_large_ratio", Mean(x=(3, 4), axis=1, x_scale=20.0, y_scale=0.01)),
        Case("ends", Mean(x=(4, 3, 5), axis=(0, 2), keep=True)),
        Case("all", Mean(x=(4, 3, 5), axis=(0, 1, 2))),
        Case("all_keep", Mean(x=(4, 3, 5), axis=(0, 1, 2), keep=True)),
        Case("rank_1", Mean(x=(17,), axis=0)),
        Case("rank_2", Mean(x=(16, 16), axis=1)),
        Case("rank_5_alternating", Mean(x=(2, 3, 2, 4, 3), axis=(1, 3))),
        Case("rank_5_alternating_other", Mean(x=(2, 3, 2, 4, 3), axis=(0, 2, 4))),
        Case("rank_8_alternating", Mean(x=(2, 3, 2, 2, 3, 2, 2, 3), axis=(0, 2, 4, 6))),
        Case("one_element", Mean(x=(1, 1, 1, 1))),
        Case("size_one_axes", Mean(x=(3, 1, 1, 5))),
        Case("ties", Mean(x=(1, 2, 1, 40))),
        Case("count_is_power_of_two", Mean(x=(1, 8, 8, 5))),
        Case("count_is_large", Mean(x=(1, 96, 96, 2))),
        Case("saturates", Mean(y_scale=0.003, x_zero_point=0)),
        Case("scale_far_above_one", Mean(x_scale=20.0, y_scale=0.01)),
        Case("scale_far_below_one", Mean(x_scale=1e-5, y_scale=1.0)),
        Case("scale_vanishes", Mean(x_scale=1e-12, y_scale=1.0)),
        Case("zero_points_at_ends", Mean(x_zero_point=127, y_zero_point=-128)),
        *(
            Case(f"channels_{n}", replace(OTHER, x=(1, 3, 5, n)))
            for n in (3, 4, 5, 7, 9, 15, 16, 17, 33)
        ),
        *(Case(f"pixels_{n}", Mean(x=(1, 1, n, 5))) for n in (255, 256, 257, 513)),
        Case("batches", Mean(x=(3, 4, 5, 6))),
        Case("rows_of_runs", Mean(x=(2, 3, 2, 4, 5), axis=(3,))),
        *(Case(f"{each.dtype}_image", each) for each in (UNSIGNED, HALFWORDS)),
        *(
            Case(f"{each.dtype}_alternating", replace(each, x=(2, 3, 2, 4, 3), axis=(1, 3)))
            for each in (UNSIGNED, HALFWORDS)
        ),
        Case("uint8_pixels_257", replace(UNSIGNED, x=(1, 1, 257, 19))),
        Case("int16_pixels_257", replace(HALFWORDS, x=(1, 1, 257, 19))),
        Case("uint8_saturates", replace(UNSIGNED, y_scale=0.003)),
        Case("int16_saturates", replace(HALFWORDS, y_scale=0.003)),
        *(Case(f"{dtype}_image", Mean(dtype=dtype)) for dtype in ("int32", "int64", "float32")),
        *(
            Case(f"{dtype}_all", Mean((4, 3, 5), (0, 1, 2), dtype=dtype))
            for dtype in ("int64", "float32")
        ),
        Case("float32_alternating", Mean((2, 3, 2, 4, 3), (1, 3), dtype="float32")),
        Case("float32_one_element", Mean((1,), 0, dtype="float32")),
        Case("of_constant", of_constants(FOLDED)),
    )
    rejected = (
        *axis_refusals(Mean()),
        refused("int16_zero_point", replace(HALFWORDS, x_zero_point=1), "which must be 0"),
        refused("unquantised", Mean(x_scale=()), "x must be quantised per tensor"),
        refused("scale_too_large", Mean(x_scale=1e6, y_scale=0.1), "may overflow 32 bits"),
        refused("scale_without_multiplier", Mean(x_scale=1e30, y_scale=0.1), "is too large"),
    )

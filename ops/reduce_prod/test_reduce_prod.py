"""ReduceProd: every type and choice of axes, against LiteRT."""

from opsmith.testing.op_tests import *
from runtimes.families.reduction_cases import Reduction, axis_refusals, fold_cases

EVERY = Reduction("REDUCE_PROD")
PAIRS = replace(EVERY, x=(40, 2), axis=1, x_scale=0.07, y_scale=0.3, y_zero_point=9)
HALFWORDS = replace(PAIRS, dtype="int16", x_scale=1e-4, y_scale=3e-4, y_zero_point=0)


class TestReduceProd(OpTests):
    cases = (
        *fold_cases(EVERY, ("int8", "int16", "int32", "int64", "float32")),
        Case("pairs", PAIRS),
        Case("pairs_int16", HALFWORDS),
        Case("wraps", replace(HALFWORDS, x=(4, 9), x_scale=100.0, y_scale=1.0)),
        Case("scale_vanishes", replace(PAIRS, x_scale=1e-8)),
        Case("zero_points_at_ends", replace(PAIRS, x_zero_point=-128, y_zero_point=127)),
    )
    rejected = (
        *axis_refusals(EVERY),
        refused("nothing", replace(EVERY, x=(0, 3), axis=0), "x i8[0x3] has no elements along"),
        refused("unquantised", replace(EVERY, x_scale=()), "x must be quantised per tensor"),
        refused("scale_too_large", replace(PAIRS, x_scale=1e4), "must be below 128"),
        refused("int16_zero_point", replace(HALFWORDS, x_zero_point=1), "which must be 0"),
    )

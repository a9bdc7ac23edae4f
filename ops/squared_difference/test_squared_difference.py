"""SquaredDifference: every type, quantisation and broadcast against LiteRT, which lacks int16."""

from opsmith.testing.op_tests import *
from runtimes.families.binary_cases import BROADCASTS, Binary, of_shapes, quantised_refusals
from runtimes.families.one_varies_cases import one_varies_cases

PLAIN = Binary("SQUARED_DIFFERENCE", scales=(0.05, 0.03, 0.4))
PAIRS = replace(PLAIN, a=(64, 1), b=(1, 64))
SHORTS = replace(PAIRS, dtype="int16", scales=(1e-3, 2e-3, 0.1), zero_points=(0, 0, 0))
SHAPES = "one_element scalar_b both_ways rank_5_broadcast rank_5_other rank_6 six_axes".split()


class TestSquaredDifference(OpTests):
    cases = (
        *of_shapes(PLAIN, {name: BROADCASTS[name] for name in SHAPES}),
        Case("pairs", PAIRS),
        *one_varies_cases(PLAIN),
        Case("equal_scales", replace(PAIRS, scales=(0.5,) * 3, zero_points=(0,) * 3)),
        Case("unequal_scales", replace(PAIRS, scales=(1e-4, 3.0, 2.9), zero_points=(-128, 127, 0))),
        Case("less_one", replace(PLAIN, a=(5, 39), b=(5, 1))),
        Case("one_less", replace(PLAIN, a=(5, 1), b=(5, 39), scales=(0.01, 0.3, 0.7))),
        Case("far_apart", replace(PAIRS, scales=(3.0, 1e-7, 2.0))),
        Case("saturates", replace(PAIRS, scales=(0.5, 0.5, 0.01))),
        Case("vanishes", replace(PAIRS, scales=(0.5, 0.5, 1e6))),
        Case("int32", replace(PLAIN, dtype="int32", a=(3, 17), b=(17,))),
        Case("float32", replace(PLAIN, dtype="float32", a=(3, 17), b=(17,))),
    )
    beyond_litert = (
        Case("int16", SHORTS),
        Case("int16_saturates", replace(SHORTS, scales=(0.5, 0.5, 1.1))),
        Case("int16_unequal", replace(SHORTS, a=(40, 50), b=(50,), scales=(1e-4, 0.3, 290.0))),
    )
    rejected = (
        *quantised_refusals(PLAIN)[:-1],  # it has no activation
        refused("ratio", replace(PLAIN, scales=(1.0, 1.0, 1e-6)), "must be below 1"),
        refused("int16_zero", replace(SHORTS, zero_points=(0, 1, 0)), "which must be 0"),
    )

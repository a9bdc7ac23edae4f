"""Mul: every broadcast, quantisation and activation against LiteRT."""

from opsmith.testing.op_tests import *
from runtimes.families.binary_cases import (
    BROADCASTS,
    VECTORS,
    Binary,
    activations,
    number_cases,
    of_shapes,
    quantised_refusals,
    uint8_cases,
)
from runtimes.families.one_varies_cases import one_varies_cases
from runtimes.families.stablehlo_cases import pairs_cases, pairs_refusals

PLAIN = Binary("MUL", scales=(0.05, 0.03, 0.1))
WIDE = replace(PLAIN, a=(256,), b=(256,))
SHORT = replace(WIDE, dtype="int16", scales=(1e-3, 2e-3, 0.05), zero_points=(0, 0, 0))
PAIRS = replace(PLAIN, a=(64, 1), b=(1, 64), zero_points=(-128, 127, 4))
UNSIGNED = replace(PLAIN, dtype="uint32", version=7)
CHANNELS = replace(PLAIN, scales=((0.5, 0.25), 0.5, 0.5), zero_points=((0, 0), 0, 0))


class TestMul(OpTests):
    cases = (
        *of_shapes(PLAIN, BROADCASTS),
        Case("channels", replace(PLAIN, a=(2, 3, 4, 5), b=(5,), constant="b")),
        Case("constants", replace(PLAIN, constant="ab")),
        Case("wide", WIDE),
        Case("saturates", replace(WIDE, scales=(0.5, 0.5, 0.01))),
        Case("vanishes", replace(WIDE, scales=(0.01, 0.01, 1e6))),
        Case("ratio_above_one", replace(WIDE, scales=(1.5, 2.0, 0.5), zero_points=(0, 0, 0))),
        Case("ratio_wraps", replace(WIDE, scales=(3e3, 3e3, 1e-1))),
        # LiteRT's shifts of 31 bits and more: 102 are 6
        *(
            Case(f"dead_scale_{y:g}", replace(WIDE, scales=(0.0235, 0.0039, y)))
            for y in (3e-35, 2e-14, 3e-14, 6e-14)
        ),
        *(
            Case(f"{each.dtype}_dead_scale", replace(each, scales=(0.0235, 0.0039, 3e-35)))
            for each in (SHORT, replace(WIDE, dtype="uint8", zero_points=(0, 0, 0)))
        ),
        Case("powers_of_two", replace(WIDE, scales=(0.25, 0.5, 0.5), zero_points=(1, -2, 3))),
        *(
            Case(f"shift_{n}", replace(PAIRS, scales=(0.5, 0.5, 0.3 * 2.0**n)))
            for n in (-1, 0, 1, 3, 8, 15, 22, 23)
        ),
        *of_shapes(WIDE, VECTORS),
        *(
            Case(f"flat_shift_{n}", replace(WIDE, scales=(0.5, 0.5, 0.3 * 2.0**n)))
            for n in (0, 1, 3, 8, 15, 23, 30, 31)
        ),
        Case("least_zero_points", replace(WIDE, zero_points=(-128, -128, -128))),
        Case("greatest_zero_points", replace(WIDE, zero_points=(127, 127, 127))),
        *activations("", WIDE),
        Case("int16", SHORT),
        Case("int16_rows", replace(SHORT, a=(4, 5), b=(5,))),
        Case("int16_saturates", replace(SHORT, scales=(0.5, 0.5, 0.01))),
        Case("int16_relu6", replace(SHORT, activation="RELU6")),
        *uint8_cases(WIDE),
        *one_varies_cases(WIDE, "uint8"),
        *number_cases("MUL"),
        *pairs_cases("MULTIPLY", "int32", "int64", "uint32"),
        Case("uint32", replace(UNSIGNED, a=(4, 17), b=(17,))),
    )
    rejected = (
        *quantised_refusals(PLAIN),
        *pairs_refusals("MULTIPLY", "uint8"),
        refused(
            "channels_of_a", replace(CHANNELS, a=(2,), b=(2,)), "a must be quantised per tensor"
        ),
        refused("zero_point", replace(SHORT, zero_points=(0, 1, 0)), "b is int16 with zero"),
        refused("uint32_relu", replace(UNSIGNED, activation="RELU"), "activation RELU of uint32"),
        refused("ratio", replace(WIDE, scales=(1e30, 1e30, 1e-30)), "scale ratio"),
    )

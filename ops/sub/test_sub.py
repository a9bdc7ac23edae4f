"""Sub: every broadcast, type, quantisation and activation against LiteRT."""

from __future__ import annotations

from dataclasses import replace

from runtimes.families.binary_cases import Binary, quantised_refusals, sum_cases
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, refused

SCALES = (0.03641735, 0.02931172, 0.04022341)
PLAIN = Binary("SUB", (400,), (400,), options={"pot_scale_int16": False})
INT16 = replace(PLAIN, dtype="int16", zero_points=(0, 0, 0))


class TestSub(OpTests):
    cases = (
        *sum_cases("SUB", SCALES, (-128, -3, -12)),
        Case("int16", INT16),
        Case("int16_saturates", replace(INT16, scales=(0.5, 0.4, 0.01))),
        Case("int16_unequal", replace(INT16, scales=(1e-4, 3.0, 2.9))),
        Case("int16_relu6", replace(INT16, scales=(1e-3, 2e-3, 3e-3), activation="RELU6")),
        Case("int16_rows", replace(INT16, a=(40, 50), b=(50,))),
    )
    rejected = (
        *quantised_refusals(Binary("SUB")),
        refused("ratio", Binary("SUB", scales=(1.0, 1.0, 1e-6)), "must be below 1"),
        refused("pot", replace(INT16, options={"pot_scale_int16": True}), "pot_scale_int16 is set"),
        refused("int16_zero", replace(INT16, zero_points=(0, 1, 0)), "which must be 0"),
    )

"""Dequantize: every element of several quantisations."""

from __future__ import annotations

from dataclasses import replace

from runtimes.families.unary_cases import PROBLEM, Unary
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected

PLAIN = Unary("DEQUANTIZE", 0.3, 2, y_type="float32", version=2)
CHANNELS = replace(PLAIN, x_scale=(0.5,) * 3, x_zero_point=(0,) * 3, shape=(3,))


class TestDequantize(OpTests):
    cases = (
        Case("plain", replace(PLAIN, x_scale=0.0123, x_zero_point=-5)),
        Case("power_of_two", replace(PLAIN, x_scale=0.25, x_zero_point=3)),
        Case("probabilities", replace(PLAIN, x_scale=1 / 256, x_zero_point=-128)),
        Case("greatest_zero_point", replace(PLAIN, x_scale=0.1, x_zero_point=127)),
        Case("tiny_scale", replace(PLAIN, x_scale=1e-40, x_zero_point=1)),
        Case("huge_scale", replace(PLAIN, x_scale=3e38, x_zero_point=1)),
        Case("image", replace(PLAIN, shape=(1, 4, 5, 3))),
        Case("scalar", replace(PLAIN, shape=())),
        Case("one_element", replace(PLAIN, shape=(1,))),
        Case("uint8", replace(PLAIN, x_type="uint8", x_zero_point=131)),
        Case("int16", replace(PLAIN, x_type="int16", x_zero_point=0)),
    )
    rejected = (
        Rejected(Case("unquantised", replace(PLAIN, x_scale=())), f"x {PROBLEM}"),
        Rejected(Case("per_channel", CHANNELS), f"x {PROBLEM}"),
    )

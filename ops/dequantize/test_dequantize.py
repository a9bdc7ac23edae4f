"""Dequantize: every element of several quantisations."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.unary_cases import PROBLEM, Unary

PLAIN = Unary("DEQUANTIZE", 0.3, 2, y_type="float32", version=2)
CHANNELS = PLAIN.but(x_scale=(0.5,) * 3, x_zero_point=(0,) * 3, shape=(3,))


class TestDequantize(OpTests):
    cases = (
        Case("plain", PLAIN.but(x_scale=0.0123, x_zero_point=-5)),
        Case("power_of_two", PLAIN.but(x_scale=0.25, x_zero_point=3)),
        Case("probabilities", PLAIN.but(x_scale=1 / 256, x_zero_point=-128)),
        Case("greatest_zero_point", PLAIN.but(x_scale=0.1, x_zero_point=127)),
        Case("tiny_scale", PLAIN.but(x_scale=1e-40, x_zero_point=1)),
        Case("huge_scale", PLAIN.but(x_scale=3e38, x_zero_point=1)),
        Case("image", PLAIN.but(shape=(1, 4, 5, 3))),
        Case("scalar", PLAIN.but(shape=())),
        Case("one_element", PLAIN.but(shape=(1,))),
        Case("uint8", PLAIN.but(x_type="uint8", x_zero_point=131)),
        Case("int16", PLAIN.but(x_type="int16", x_zero_point=0)),
    )
    rejected = (
        refused("unquantised", PLAIN.but(x_scale=()), f"x {PROBLEM}"),
        refused("per_channel", CHANNELS, f"x {PROBLEM}"),
    )

"""Rsqrt: LiteRT's fixed point, its table, and exact floats."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.unary_cases import Unary, after_relu, float_cases, unquantised

I8 = Unary("RSQRT", 0.05, -128, 0.02, -20, version=2)  # LiteRT refuses negative values
I16 = I8.of_type("int16", x_zero_point=0, y_zero_point=0)
FINE = I16.but(x_scale=1e-3, y_scale=1e-3, shape=(1000,), version=3)


class TestRsqrt(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_saturates", I8.but(y_scale=1e-3, shape=(1, 4, 5, 3))),
        Case("int8_one_element", I8.but(x_scale=20.0, y_zero_point=-128, shape=(1,))),
        Case("int16", after_relu(FINE)),
        *float_cases("RSQRT"),
    )
    rejected = (
        *unquantised(I8, I16),
        refused("ratio", I8.but(x_scale=1e6, y_scale=1e6), "is too small"),
    )

"""Abs: at equal and unequal quantisation, plain integers and floats."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.unary_cases import Unary, float_cases, unquantised

I8 = Unary("ABS", 0.05, 3, 0.04, -20, version=2)
I16 = I8.of_type("int16", x_zero_point=0, y_zero_point=0)


class TestAbs(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_equal", I8.but(y_scale=0.05, shape=(1, 4, 5, 3))),
        Case("int8_saturates", I8.but(y_scale=1e-3, shape=(1,))),
        Case("int16", I16),
        Case("int16_equal", I16.but(y_scale=0.05, shape=(1,))),
        Case("int32", Unary("ABS", version=3).of_type("int32")),
        *float_cases("ABS"),
    )
    rejected = (
        *unquantised(I8, I16),
        refused("ratio", I8.but(x_scale=1e20, y_scale=1e-20), "the scale ratio"),
    )

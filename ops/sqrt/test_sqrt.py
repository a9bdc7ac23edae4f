"""Sqrt: exact floats, and elements whose quotients are truncated."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary, after_relu, float_cases, unquantised

I8 = Unary("SQRT", 0.05, -128, 0.02, -20)  # LiteRT refuses negative values
I16 = I8.of_type("int16", x_zero_point=0, y_zero_point=0)


class TestSqrt(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_saturates", I8.but(y_scale=1e-3, shape=(1, 4, 5, 3))),
        Case("int8_one_element", I8.but(y_zero_point=-128, shape=(1,))),
        Case("int16", after_relu(I16.but(y_scale=2e-3, shape=(1000,)))),
        *float_cases("SQRT"),
    )
    rejected = unquantised(I8, I16)

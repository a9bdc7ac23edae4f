"""Logistic: tables of bytes, LiteRT's samples for int16, exact floats."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.unary_cases import Unary, float_cases, sampled, unquantised, unsampled

I8 = Unary("LOGISTIC", 0.05, 3, 1 / 256, -128)
U8 = I8.of_type("uint8", x_zero_point=131, y_zero_point=0)
I16 = I8.of_type("int16", x_scale=3e-4, x_zero_point=0, y_scale=1 / 32768, y_zero_point=0)


class TestLogistic(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_steep", I8.but(x_scale=3.0, shape=(1, 4, 5, 3))),
        Case("int8_zero_point", I8.but(y_zero_point=-100, shape=(1,))),
        Case("uint8", U8.but(x_scale=0.02)),
        *sampled(I16),
        *float_cases("LOGISTIC"),
    )
    rejected = (
        *unquantised(I8, I16),
        *unsampled(I16),
        refused("y_scale", I8.but(y_scale=1 / 255), "y must have scale 1/256"),
    )

"""Tanh: tables of bytes, LiteRT's samples for int16, exact floats."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary, float_cases, sampled, unquantised, unsampled

I8 = Unary("TANH", 0.05, 3, 0.007, -3)
U8 = I8.of_type("uint8", x_zero_point=131, y_zero_point=131)
I16 = I8.of_type("int16", x_scale=3e-4, x_zero_point=0, y_scale=1 / 32768, y_zero_point=0)


class TestTanh(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_steep", I8.but(x_scale=3.0, shape=(1, 4, 5, 3))),
        Case("int8_saturates", I8.but(y_scale=1e-3, shape=(1,))),
        Case("uint8", U8.but(x_scale=0.02)),
        # Next to a tie, which the last bit of tanhf decides.
        Case("uint8_tie", U8.but(x_scale=0.047634728252887726, shape=(256,))),
        *sampled(I16),
        *float_cases("TANH"),
    )
    rejected = unquantised(I8, I16) + unsampled(I16)

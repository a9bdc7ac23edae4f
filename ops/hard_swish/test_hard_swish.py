"""HardSwish: LiteRT's fixed point at scales that shift either way, and floats."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.unary_cases import Unary, float_cases, unquantised

I8 = Unary("HARD_SWISH", 0.05, 3, 0.04, -20)
U8 = I8.of_type("uint8", x_zero_point=131, y_zero_point=7)


class TestHardSwish(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_equal", I8.but(y_scale=0.05, y_zero_point=3, shape=(1, 4, 5, 3))),
        Case("int8_steep", I8.but(x_scale=1.5, y_scale=1.5)),
        Case("int8_flat", I8.but(x_scale=1e-4, y_scale=1e-5)),
        Case("int8_saturates", I8.but(y_scale=1e-3, y_zero_point=127, shape=(1,))),
        Case("int8_vanishes", I8.but(y_scale=500.0, shape=())),
        Case("uint8", U8),
        *float_cases("HARD_SWISH"),
    )
    rejected = (
        *unquantised(I8, U8),
        refused("ratio", I8.but(x_scale=7.0), "x is 128 times that of y, or more"),
    )

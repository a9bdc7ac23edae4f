"""Log: tables with values that have no logarithm, and exact floats."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary, float_cases, unquantised

I8 = Unary("LOG", 0.05, -100, 0.04, -20, version=2)
I16 = I8.of_type("int16", x_zero_point=0, y_scale=1e-3, y_zero_point=0)


class TestLog(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_saturates", I8.but(y_scale=1e-3, shape=(1, 4, 5, 3))),
        Case("int8_one_element", I8.but(x_zero_point=3, shape=(1,))),
        Case("int16", I16.but(shape=(1000,))),
        Case("int16_saturates", I16.but(y_scale=1e-5)),
        *float_cases("LOG"),
    )
    rejected = unquantised(I8, I16)

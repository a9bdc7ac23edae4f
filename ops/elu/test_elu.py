"""ELU: the table, and exact floats."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary, float_cases, unquantised

I8 = Unary("ELU", 0.05, 3, 0.04, -20)


class TestElu(OpTests):
    oracle = "optimised"
    cases = (
        Case("int8", I8),
        Case("int8_steep", I8.but(x_scale=3.0, y_scale=3.0, shape=(1, 4, 5, 3))),
        Case("int8_saturates", I8.but(y_scale=1e-3, shape=(1,))),
        # Next to a tie, which the last bit of expm1f decides.
        Case("int8_tie", Unary("ELU", 0.016221724450588226, 70, 0.001, -20, shape=(256,))),
        *float_cases("ELU"),
    )
    rejected = unquantised(I8)

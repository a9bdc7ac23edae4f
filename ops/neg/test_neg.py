"""Neg: every type, with the least integer."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary, float_cases


class TestNeg(OpTests):
    cases = (
        Case("int8", Unary("NEG")),
        Case("int8_quantised", Unary("NEG", 0.05, 3, 0.04, -20, shape=(1, 4, 5, 3))),
        *(Case(dtype, Unary("NEG").of_type(dtype)) for dtype in ("int16", "int32", "int64")),
        *float_cases("NEG"),
    )

"""Sign: floats and integers, with zeros."""

from opsmith.runtimes.families.unary_cases import Unary, float_cases
from opsmith.testing.op_tests import Case, OpTests


class TestSign(OpTests):
    cases = (
        *float_cases("SIGN"),
        *(Case(t, Unary("SIGN", version=2).of_type(t)) for t in ("float64", "int32")),
    )

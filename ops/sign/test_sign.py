"""Sign: floats and integers, with zeros."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary, float_cases


class TestSign(OpTests):
    cases = (
        *float_cases("SIGN"),
        *(Case(t, Unary("SIGN", version=2).of_type(t)) for t in ("float64", "int32")),
    )

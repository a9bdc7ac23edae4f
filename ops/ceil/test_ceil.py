"""Ceil: floats of every size."""

from opsmith.runtimes.families.unary_cases import float_cases
from opsmith.testing.op_tests import OpTests


class TestCeil(OpTests):
    oracle = "optimised"
    cases = float_cases("CEIL")

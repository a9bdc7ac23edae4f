"""Cos: exact floats of every size."""

from opsmith.runtimes.families.unary_cases import float_cases
from opsmith.testing.op_tests import OpTests


class TestCos(OpTests):
    cases = float_cases("COS")

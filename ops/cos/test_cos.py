"""Cos: exact floats of every size."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.unary_cases import float_cases


class TestCos(OpTests):
    cases = float_cases("COS")

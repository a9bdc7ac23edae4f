"""Floor: floats of every size."""

from opsmith.runtimes.families.unary_cases import float_cases
from opsmith.testing.op_tests import OpTests


class TestFloor(OpTests):
    cases = float_cases("FLOOR")

"""Floor: floats of every size."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.unary_cases import float_cases


class TestFloor(OpTests):
    cases = float_cases("FLOOR")

"""RealAdd: shapes, scales, and halves that no integers serve."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.real_pair_cases import real_pair_cases


class TestRealAdd(OpTests):
    cases = real_pair_cases("OpsmithAdd")
    oracle = "numpy"

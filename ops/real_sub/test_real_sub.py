"""RealSub: shapes, scales, and halves that no integers serve."""

from opsmith.runtimes.families.real_pair_cases import real_pair_cases
from opsmith.testing.op_tests import OpTests


class TestRealSub(OpTests):
    cases = real_pair_cases("OpsmithSub")
    oracle = "numpy"

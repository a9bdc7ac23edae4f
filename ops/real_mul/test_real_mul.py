"""RealMul: shapes, scales, both ends."""

from opsmith.runtimes.families.real_pair_cases import real_pair_cases
from opsmith.testing.op_tests import OpTests


class TestRealMul(OpTests):
    cases = real_pair_cases("OpsmithMul")
    oracle = "numpy"

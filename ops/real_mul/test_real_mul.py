"""RealMul: shapes, scales, both ends."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.real_pair_cases import real_pair_cases


class TestRealMul(OpTests):
    cases = real_pair_cases("OpsmithMul")
    oracle = "numpy"

"""LogicalAnd: every broadcast against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.relation_cases import logical_cases


class TestLogicalAnd(OpTests):
    cases = logical_cases("LOGICAL_AND")

"""LogicalAnd: every broadcast against LiteRT."""

from opsmith.runtimes.families.relation_cases import logical_cases
from opsmith.testing.op_tests import OpTests


class TestLogicalAnd(OpTests):
    cases = logical_cases("LOGICAL_AND")

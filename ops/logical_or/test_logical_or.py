"""LogicalOr: every broadcast against LiteRT."""

from opsmith.runtimes.families.relation_cases import logical_cases
from opsmith.testing.op_tests import OpTests


class TestLogicalOr(OpTests):
    cases = logical_cases("LOGICAL_OR")

"""LogicalOr: every broadcast against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.relation_cases import logical_cases


class TestLogicalOr(OpTests):
    cases = logical_cases("LOGICAL_OR")

"""GreaterEqual: every type, quantisation and broadcast against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.relation_cases import relation_cases, relation_refusals


class TestGreaterEqual(OpTests):
    cases = relation_cases("GREATER_EQUAL")
    rejected = relation_refusals("GREATER_EQUAL")

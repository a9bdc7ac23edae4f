"""LessEqual: every type, quantisation and broadcast against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.relation_cases import relation_cases, relation_refusals


class TestLessEqual(OpTests):
    cases = relation_cases("LESS_EQUAL")
    rejected = relation_refusals("LESS_EQUAL")

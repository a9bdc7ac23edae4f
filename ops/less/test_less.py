"""Less: every type, quantisation and broadcast against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.relation_cases import relation_cases, relation_refusals


class TestLess(OpTests):
    cases = relation_cases("LESS")
    rejected = relation_refusals("LESS")

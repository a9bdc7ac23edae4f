"""Greater: every type, quantisation and broadcast against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.relation_cases import relation_cases, relation_refusals


class TestGreater(OpTests):
    cases = relation_cases("GREATER")
    rejected = relation_refusals("GREATER")

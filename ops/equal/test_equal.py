"""Equal: every type, quantisation and broadcast against LiteRT."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.relation_cases import relation, relation_cases, relation_refusals

BARE = {"scales": ((), (), ()), "zero_points": ((), (), ())}


class TestEqual(OpTests):
    cases = (
        *relation_cases("EQUAL"),
        Case("bool", relation("EQUAL", dtype="bool", a=(3, 17), b=(17,))),
        Case("bare_int16", relation("EQUAL", dtype="int16", a=(3, 17), b=(17,), **BARE)),
    )
    rejected = (
        *relation_refusals("EQUAL"),
        refused(
            "half_bare",
            relation("EQUAL", dtype="int16", scales=((), 0.5, ()), zero_points=((), 0, ())),
            "a must be quantised per tensor",
        ),
    )

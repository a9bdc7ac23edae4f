"""NotEqual: every type, quantisation and broadcast against LiteRT."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.relation_cases import relation, relation_cases, relation_refusals

EQUAL_SCALES = {"a": (3, 17), "b": (17,), "scales": (0.5, 0.5, ()), "zero_points": (0, 0, ())}


class TestNotEqual(OpTests):
    cases = (
        *relation_cases("NOT_EQUAL"),
        Case("bool", relation("NOT_EQUAL", dtype="bool", a=(3, 17), b=(17,))),
        Case("int16_equal_scales", relation("NOT_EQUAL", dtype="int16", **EQUAL_SCALES)),
    )
    rejected = (
        *relation_refusals("NOT_EQUAL"),
        refused(
            "bare_int16",
            relation("NOT_EQUAL", dtype="int16", scales=((), (), ()), zero_points=((), (), ())),
            "a is int16 and must be quantised",
        ),
    )

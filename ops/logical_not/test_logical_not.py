"""LogicalNot: both truth values, in several ranks, against LiteRT."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary

SHAPES = {"many": (37,), "one_element": (1,), "scalar": (), "rank_4": (2, 3, 1, 2)}


class TestLogicalNot(OpTests):
    cases = tuple(
        Case(name, Unary("LOGICAL_NOT", x_type="bool", y_type="bool", shape=shape))
        for name, shape in SHAPES.items()
    )

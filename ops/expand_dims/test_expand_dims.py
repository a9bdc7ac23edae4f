"""ExpandDims: every place, every type."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving

expand = Moving("EXPAND_DIMS", "x", "axis", version=1)


class TestExpandDims(OpTests):
    cases = (
        *expand.of_types(EVERY_TYPE_NAME, (4, 3), (4, 1, 3), 1),
        Case("first", expand((4, 3), (1, 4, 3), 0)),
        Case("last", expand((4, 3), (4, 3, 1), 2)),
        Case("from_behind", expand((4, 3), (4, 3, 1), -1)),
        Case("first_from_behind", expand((4, 3), (1, 4, 3), -3)),
        Case("scalar", expand((), (1,), 0)),
        Case("vector_of_one", expand((4,), (1, 4), [0])),
    )
    rejected = (
        refused("beyond", expand((4,), (4, 1), 2), "x i8[4] cannot get an axis 2"),
        refused("scale", expand((4,), (1, 4), 0, scale={"y": 0.25}), "quantised as x is"),
        refused("two", expand((4,), (4, 1), [0, 1]), "must be one number"),
    )

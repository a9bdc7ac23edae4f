"""Select: every type and every shape of the condition, against LiteRT."""

from opsmith.testing.op_tests import OpTests, cases, refused
from runtimes.families.selection_cases import selection, type_cases


class TestSelect(OpTests):
    cases = (
        *type_cases("SELECT"),
        *cases(
            scalar=selection("SELECT", (), (3, 5)),
            rows=selection("SELECT", (3,), (3, 5)),
            images=selection("SELECT", (2,), (2, 3, 1, 2, 2)),
            vector=selection("SELECT", (17,), (17,)),
            scalars=selection("SELECT", (), ()),
            square=selection("SELECT", (3,), (3, 3)),
            rank_8=selection("SELECT", (2, 1) * 4, (2, 1) * 4),
        ),
    )
    rejected = (
        refused("columns", selection("SELECT", (5,), (3, 5)), "must be (3, 5), (3,) or ()"),
        refused("shapes", selection("SELECT", (), (3, 5), (5,)), "(3, 5) and (5,) of a and b"),
    )

"""SelectV2: every type and broadcast against LiteRT."""

from opsmith.testing.op_tests import OpTests, cases, refused
from runtimes.families.selection_cases import selection, type_cases


class TestSelectV2(OpTests):
    cases = (
        *type_cases("SELECT_V2"),
        *cases(
            scalar=selection("SELECT_V2", (), (3, 5)),
            columns=selection("SELECT_V2", (5,), (3, 5)),
            rows=selection("SELECT_V2", (3, 1), (3, 5)),
            one_of_two=selection("SELECT_V2", (3, 5), (3, 5), ()),
            scalars=selection("SELECT_V2", (), ()),
            all_ways=selection("SELECT_V2", (2, 1, 1), (3, 1), (4,)),
            rank_5=selection("SELECT_V2", (2, 1, 2, 1, 3), (1, 4, 1, 5, 1)),
            rank_5_other=selection("SELECT_V2", (1, 4, 1, 5, 1), (2, 1, 2, 1, 3)),
            six_axes=selection("SELECT_V2", (2, 1) * 3, (1, 2) * 3),
            rank_6=selection("SELECT_V2", (2, 1, 2, 1, 1, 1), (1, 3, 1, 2, 1, 2)),
        ),
    )
    rejected = (
        refused("sizes", selection("SELECT_V2", (2,), (3,), y=(3,)), "(2,), (3,), (3,) do not"),
    )

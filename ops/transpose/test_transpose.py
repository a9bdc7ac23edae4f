"""Transpose: every kind of order and type, and axes that merge."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving

transpose = Moving("TRANSPOSE", "x", "perm", y=lambda x, perm: [x[axis] for axis in perm])


class TestTranspose(OpTests):
    cases = (
        *transpose.of_types(EVERY_TYPE_NAME, (17, 18), (1, 0)),
        Case("rows_stay_float32", transpose((3, 4, 5), (1, 0, 2), dtype="float32")),
        Case("turns_round_int64", transpose((2, 3, 4, 5), (3, 2, 1, 0), dtype="int64")),
        Case("large", transpose((16, 16), (1, 0))),
        Case("one_element", transpose((1, 1), (1, 0))),
        Case("one_axis", transpose((9,), (0,))),
        Case("stays", transpose((3, 4, 5), (0, 1, 2))),
        Case("only_ones_move", transpose((1, 6, 1, 5), (1, 0, 3, 2))),
        Case("rows_stay", transpose((3, 4, 5), (1, 0, 2))),
        Case("pairs_swap", transpose((2, 3, 4, 5), (2, 3, 0, 1))),
        Case("to_channels_first", transpose((2, 4, 5, 3), (0, 3, 1, 2))),
        Case("to_channels_last", transpose((2, 3, 4, 5), (0, 2, 3, 1))),
        Case("turns_round", transpose((2, 3, 4, 5), (3, 2, 1, 0))),
        Case("from_behind", transpose((2, 3, 4), (-1, 0, 1))),
        Case("rank_5", transpose((2, 3, 2, 4, 3), (4, 1, 3, 0, 2))),
        Case("rank_6", transpose((2, 3, 1, 4, 2, 3), (4, 5, 2, 0, 1, 3))),
        Case("rank_6_turns_round", transpose((2, 3, 2, 2, 3, 2), (5, 4, 3, 2, 1, 0))),
        Case("other_scale", transpose((2, 3), (1, 0), scale={"y": 0.25})),
    )
    rejected = (
        refused("twice", transpose((2, 2), (1, 1)), "perm [1, 1] is no order of the axes"),
        refused("short", transpose((2, 2), (0,)), "perm [0] is no order of the axes"),
        refused("beyond", transpose((2, 2), (0, 2), y=(2, 2)), "perm [0, 2] is no order"),
        refused("many", transpose((2,) * 9, range(9)[::-1]), "9 dimensions", "MDL003"),
    )

"""BroadcastTo: every type and all kinds of axes, against LiteRT."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving

broadcast = Moving("BROADCAST_TO", "x", "shape", y=lambda _, shape: shape)


class TestBroadcastTo(OpTests):
    cases = (
        *broadcast.of_types(EVERY_TYPE_NAME, (7,), (3, 7)),
        Case("scalar", broadcast((), (2, 3))),
        Case("one_element", broadcast((1,), (17,))),
        Case("columns", broadcast((4, 1), (4, 5))),
        Case("both_ways", broadcast((1, 3, 1), (2, 3, 4))),
        Case("rank_5", broadcast((2, 1, 2, 1, 3), (2, 3, 2, 5, 3))),
        Case("rank_8", broadcast((2, 1, 2, 1), (1, 1, 2, 1, 2, 3, 2, 2))),
        Case("alternating", broadcast((1, 2) * 3, (2, 2) * 3)),
        Case("identity", broadcast((3, 4), (3, 4))),
    )
    rejected = (
        refused("sizes", broadcast((3,), (2, 4)), "shapes (3,), (2, 4) do not broadcast"),
        refused("smaller", broadcast((2, 3), (3,)), "does not broadcast to (3,)"),
    )

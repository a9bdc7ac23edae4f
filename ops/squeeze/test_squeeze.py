"""Squeeze: all axes, named ones, every type."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving

squeeze = Moving("SQUEEZE", options=("squeeze_dims",), version=1)


class TestSqueeze(OpTests):
    cases = (
        *squeeze.of_types(EVERY_TYPE_NAME, (1, 4, 1, 3), (4, 3)),
        Case("named", squeeze((1, 4, 1, 3), (1, 4, 3), (2,))),
        Case("from_behind", squeeze((1, 4, 1, 3), (4, 3), (-2, 0))),
        Case("nothing", squeeze((4, 3), (4, 3))),
        Case("to_scalar", squeeze((1, 1), ())),
    )
    rejected = (
        refused("size", squeeze((1, 4), (1,), (1,)), "has no axes [1] of size 1"),
        refused("beyond", squeeze((1, 4), (4,), (2,)), "has no axes [2] of size 1"),
    )

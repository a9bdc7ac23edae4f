"""ReverseV2: every type, along one axis and several."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import Moving

reverse = Moving("REVERSE_V2", "x", "axis", y=lambda x, _: x)
TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "float32")


class TestReverseV2(OpTests):
    cases = (
        *reverse.of_types(TYPES, (3, 5), (1,)),
        Case("rows", reverse((3, 16), (0,))),
        Case("middle", reverse((2, 3, 4), (1,))),
        Case("both", reverse((3, 5), (0, 1))),
        Case("from_behind", reverse((2, 3, 4), (-1,))),
        Case("one_element", reverse((1,), (0,))),
        Case("rank_6", reverse((2, 1, 3, 2, 1, 2), (3,))),
    )
    rejected = (
        refused("beyond", reverse((3, 5), (2,)), "has no axis 2"),
        refused("twice", reverse((3, 5), (1, -1)), "one of them twice"),
    )

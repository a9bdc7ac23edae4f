"""Unpack: every axis and type."""

from opsmith.testing.op_tests import Case, OpTests, refused
from runtimes.families.movement_cases import Moving

unpack = Moving("UNPACK", options=("axis", "num"))
TYPES = ("int8", "int16", "int32", "uint8", "bool", "float32")


class TestUnpack(OpTests):
    cases = (
        *unpack.of_types(TYPES, (3, 5), [(5,)] * 3, 0, 3),
        Case("rows", unpack((3, 16), [(16,)] * 3, 0, 3)),
        Case("columns", unpack((3, 5), [(3,)] * 5, 1, 5)),
        Case("images", unpack((2, 3, 2, 4), [(2, 3, 2)] * 4, -1, 4)),
        Case("middle", unpack((2, 3, 4), [(2, 4)] * 3, -2, 3)),
        Case("scalars", unpack((3,), [()] * 3, 0, 3)),
        Case("rank_6", unpack((2, 1, 2, 1, 3, 2), [(2, 1, 2, 1, 2)] * 3, 4, 3)),
    )
    rejected = (
        refused("stated", unpack((3, 5), [(5,)] * 3, 0, 2), "num is 2 for axis 0"),
        refused(
            "scale", unpack((3, 5), [(5,)] * 3, 0, 3, scale={"y1": 0.25}), "tensor 1 of y must be"
        ),
    )

"""Tile: every type, repeated along one axis, several and none."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving

tile = Moving(
    "TILE", "x", "multiples", y=lambda x, by: [max(n * m, 1) for n, m in zip(x, by, strict=False)]
)


class TestTile(OpTests):
    cases = (
        *tile.of_types(EVERY_TYPE_NAME, (2, 3), (2, 3)),
        Case("rows", tile((3, 5), (2, 1), version=3)),
        Case("columns", tile((3, 5), (1, 3))),
        Case("elements", tile((4, 1), (1, 17))),
        Case("one_element", tile((1,), (1,))),
        Case("stays", tile((3, 4), (1, 1))),
        Case("image", tile((1, 2, 3, 5), (2, 2, 3, 2))),
        Case("rank_6", tile((2, 1, 3, 1, 2, 1), (1, 3, 1, 2, 2, 1))),
        *(
            Case(f"every_axis_of_{dtype}", tile((2, 1, 2) * 2, (2,) * 6, dtype=dtype))
            for dtype in EVERY_TYPE_NAME
        ),
        Case("every_axis_of_8", tile((2, 1) * 4, (2,) * 8)),
        Case("int64_multiples", tile((2, 3), np.array([1, 2]), version=1)),
        Case("other_scale", tile((2,), (2,), scale={"y": 0.25})),
    )
    rejected = (
        refused("less", tile((2, 3), (-1, 1)), "multiples are [-1, 1], not at least 0"),
        refused("short", tile((2, 3), (2,)), "multiples i32[1] must have one number per axis"),
    )

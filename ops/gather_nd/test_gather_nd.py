"""GatherND: every type, elements and rows, with known and computed indices."""

from opsmith.testing.op_tests import *
from runtimes.families.indices_cases import Shape, looking_up

TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "float32")
PAIRS = ((1, 0), (0, 2), (1, 2))


def gather(x: Shape, indices: object, y: Shape, **others: Any) -> Build:
    """GATHER_ND to build."""
    return looking_up("GATHER_ND", x, indices, y, **others)


class TestGatherNd(OpTests):
    cases = (
        *(Case(t, gather((3, 4, 5), PAIRS, (3, 5), computed=True, dtype=t)) for t in TYPES),
        *(
            Case(f"{t}_{index}", gather((2, 3, 5), PAIRS, (3, 5), dtype=t, index_type=index))
            for t in TYPES
            for index in ("int64", "int16")
        ),
        Case("elements", gather((3, 4), PAIRS, (3,), computed=True)),
        Case("rows", gather((4, 3, 2), ((3,), (0,)), (2, 3, 2))),
        Case("one", gather((2, 3, 4), (1, 2), (4,))),
        Case("table", gather((3, 4), (((2, 3), (0, 0)), ((1, 1), (2, 0))), (2, 2))),
        Case("rank_5", gather((2, 2, 2, 2, 3), ((0, 1, 0, 1), (1, 1, 1, 0)), (2, 3))),
        Case("one_element", gather((1,), ((0,),), (1,))),
        Case("other_scale", gather((4,), ((0,),), (1,), y_scale=0.25)),
    )
    rejected = (
        refused("negative", gather((4, 5), ((0, -1),), (1,)), "indices [-1] are no positions"),
        refused("beyond", gather((4, 5), ((3, 5),), (1,)), "indices [5] are no positions"),
        refused("deep", gather((4,), ((0, 0),), (1,)), "has no 1 to 1 indices"),
        refused("scalar", gather((4,), 0, (4,)), "has no 1 to 1 indices"),
    )

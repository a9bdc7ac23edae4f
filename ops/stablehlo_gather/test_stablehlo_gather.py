"""StablehloGather: every type, rows, elements and slices, and starts that are moved."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME

TYPES = [each for each in EVERY_TYPE_NAME if each != "bool"]
Ints = Sequence[int]
CUBE = (3, 4, 5)


def gather(
    x: Ints = (4, 5),
    indices: object = ((2,), (-1,), (9,)),
    y: Ints = (3, 5),
    offset: Ints = (1,),
    collapsed: Ints = (0,),
    mapped: Ints = (0,),
    sizes: Ints = (1, 5),
    vector: int = 1,
    dtype: str = "int32",
    index_type: str = "int32",
) -> Build:
    """STABLEHLO_GATHER to build; indices are constant, or an input if a list gives their shape."""
    given: Given = (indices, index_type)
    if not isinstance(indices, list):
        given = np.array(indices, index_type)
    options: dict[str, OptionValue] = {
        "offset_dims": offset,
        "collapsed_slice_dims": collapsed,
        "start_index_map": mapped,
        "slice_sizes": sizes,
        "index_vector_dim": vector,
    }
    inputs: dict[str, Given] = {"x": (x, dtype), "indices": given}
    return one_node("STABLEHLO_GATHER", inputs, {"y": (y, dtype)}, options)


class TestStablehloGather(OpTests):
    cases = (
        *(Case(dtype, gather(dtype=dtype)) for dtype in TYPES),
        *(Case(f"{each}_int64", gather(dtype=each, index_type="int64")) for each in TYPES),
        Case("computed", gather(indices=[3, 1], index_type="int64")),
        Case("elements", gather((4, 5), ((3, 4), (0, 9)), (2,), (), (0, 1), (0, 1), (1, 1))),
        Case("slices", gather((4, 5), ((3, 4), (1, 1)), (2, 2, 3), (1, 2), (), (0, 1), (2, 3))),
        Case("slices_first", gather(CUBE, [2, 2], (2, 2, 3, 4), (0, 2, 3), (), (2, 0), (2, 3, 4))),
        Case("tuples_first", gather((4, 5), ((3, 0, 1),), (3, 5), vector=0)),
        Case("turned", gather((4, 5), ((3, 0), (1, 2)), (2,), (), (0, 1), (1, 0), (1, 1))),
        Case("one_element", gather((1,), ((0,),), (1,), (), (0,), (0,), (1,))),
    )
    rejected = (
        refused("sizes", gather(sizes=(1,)), "slice_sizes (1,) must have one number per axis"),
        refused("large", gather(sizes=(1, 6)), "slices [1, 6] do not fit i32[4x5]"),
        refused("left", gather(sizes=(2, 5)), "slices must have size 1 along the axes"),
        refused("vector", gather(vector=2), "indices i32[3x1] have no axis 2 of tuples"),
        refused("tuples", gather(mapped=(0, 1)), "have other tuples than of 2"),
        refused("twice", gather(mapped=(0, 0)), "[0, 0], are not different ones of 0 to 1"),
        refused("inner", gather(offset=(7,)), "the axes of slices, [7], are not different ones"),
        refused("few", gather(collapsed=()), "slices have other axes than those of i32[4x5]"),
        refused("order", gather(offset=(1, 0), collapsed=(), sizes=(1, 5)), "must ascend"),
    )

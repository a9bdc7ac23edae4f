"""StablehloScatter: every function and type, rows, elements and slices, and updates beyond x."""

from collections.abc import Callable, Sequence

import numpy as np

from opsmith.testing.op_tests import Case, OpTests, refused
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from runtimes.families.stablehlo_cases import function

Build = Callable[[ModelWriter], None]
Ints = Sequence[int]
TYPES = ("int8", "int16", "int32", "int64", "uint8", "float32")
FUNCTIONS = ("STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM")


def scatter(
    applied: str = "SECOND",
    x: Ints = (4, 5),
    indices: object = ((2,), (0,), (2,)),
    updates: Ints = (3, 5),
    window: Ints = (1,),
    inserted: Ints = (0,),
    mapped: Ints = (0,),
    vector: int = 1,
    dtype: str = "int32",
    index_type: str = "int32",
) -> Build:
    """STABLEHLO_SCATTER to build; indices are constant, or an input if a list gives their shape."""

    def build(m: ModelWriter) -> None:
        whole = m.input("x", x, dtype)
        if isinstance(indices, list):
            at = m.input("indices", indices, index_type)
        else:
            at = m.constant("indices", np.array(indices, index_type))
        y = m.tensor("y", x, dtype)
        options: dict[str, OptionValue] = {
            "update_window_dims": window,
            "inserted_window_dims": inserted,
            "scatter_dims_to_operand_dims": mapped,
            "index_vector_dim": vector,
            "update_computation_subgraph_index": function(m, applied, dtype),
        }
        m.node("STABLEHLO_SCATTER", [whole, at, m.input("updates", updates, dtype)], [y], options)
        m.output(y)

    return build


PAIRS, BOTH = ((3, 4), (0, 1)), (0, 1)


class TestStablehloScatter(OpTests):
    cases = (
        *(Case(dtype, scatter("STABLEHLO_ADD", dtype=dtype)) for dtype in TYPES),
        *(Case(f"{each}_int64", scatter(dtype=each, index_type="int64")) for each in TYPES),
        *(Case(each.lower(), scatter(each, dtype="float32")) for each in FUNCTIONS),
        Case("computed", scatter(indices=[3, 1], index_type="int64")),
        Case("elements", scatter("STABLEHLO_ADD", (4, 5), PAIRS, (2,), (), BOTH, BOTH)),
        Case("slices", scatter("SECOND", (4, 5), PAIRS, (2, 2, 3), (1, 2), (), BOTH)),
        Case("beyond", scatter(indices=((3,), (4,), (9,)))),
        Case("turned", scatter("SECOND", (4, 5), PAIRS, (2,), (), BOTH, (1, 0))),
        Case("tuples_first", scatter(indices=((1, 0, 3),), vector=0)),
        Case("one_element", scatter("SECOND", (1,), ((0,),), (1,), (), (0,))),
    )
    rejected = (
        refused("negative", scatter(indices=((2,), (-1,), (0,))), "indices reach -1, before"),
        refused("updates", scatter(updates=(2, 5)), "updates i32[2x5] do not fit indices i32[3x1]"),
        refused("large", scatter(updates=(3, 6)), "slices [1, 6] do not fit i32[4x5]"),
        refused("window", scatter(window=(2,)), "update_window_dims (2,) are no axes of updates"),
        refused("vector", scatter(vector=2), "indices i32[3x1] have no axis 2 of tuples"),
        refused("other", scatter("STABLEHLO_SUBTRACT"), "'function' is 'STABLEHLO_SUB", "MDL013"),
        refused("add", scatter("ADD"), "'function' is 'ADD'", "MDL013"),
    )

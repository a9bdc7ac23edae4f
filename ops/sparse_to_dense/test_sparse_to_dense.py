"""SparseToDense: every type, one value and several, known and computed indices."""

from opsmith.testing.op_tests import *
from runtimes.families.indices_cases import index_tensor

TYPES = ("int8", "uint8", "int32", "int64", "float32")
PAIRS = ((0, 3), (2, 0), (1, 1), (0, 3))


def dense(
    indices: object = PAIRS,
    shape: Sequence[int] = (4, 5),
    x: Sequence[int] = (4,),
    dtype: str = "float32",
    index_type: str = "int32",
    rest: Sequence[int] = (),
    *,
    computed: bool = False,
) -> Build:
    """SPARSE_TO_DENSE to build; `computed` indices are these numbers, or each plus one."""

    def build(m: ModelWriter) -> None:
        where = index_tensor(m, indices, index_type, computed=computed)
        sizes = m.constant("shape", np.array(shape, np.int32))
        values, others = m.input("x", x, dtype), m.input("rest", rest, dtype)
        y = m.value("SPARSE_TO_DENSE", [where, sizes, values, others], m.tensor("y", shape, dtype))
        m.output(y)

    return build


class TestSparseToDense(OpTests):
    cases = (
        *(Case(dtype, dense(dtype=dtype, computed=True)) for dtype in TYPES),
        *(Case(f"{dtype}_int64", dense(dtype=dtype, index_type="int64")) for dtype in TYPES),
        Case("one_value", dense(x=(), computed=True)),
        Case("vector", dense((2, 0, 1), (4,), (3,))),
        Case("one_index", dense(2, (4,), ())),
        Case("rank_4", dense(((0, 1, 0, 2), (1, 0, 1, 1)), (2, 2, 2, 3), (2,), "int8")),
        Case("one_element", dense((0,), (1,), (1,), "int32", rest=(1,))),
    )
    rejected = (
        refused("negative", dense(((-1, 0),), x=(1,)), "indices [-1] are no positions"),
        refused("beyond", dense((4,), (4,), (1,)), "indices [4] are no positions"),
        refused("deep", dense(((0, 0, 0),), x=(1,)), "are none of 2 axes"),
        refused("few", dense(x=(3,)), "must be one element, or one for each"),
        refused("rests", dense(rest=(2,)), "must be one element"),
        refused("rank_5", dense(((0,) * 5,), (1,) * 5, (1,)), "a vector of 1 to 4 sizes"),
    )

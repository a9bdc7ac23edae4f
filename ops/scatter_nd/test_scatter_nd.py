"""ScatterND: every type, elements and rows, sums of several, with known and computed indices."""

from opsmith.testing.op_tests import *
from runtimes.families.indices_cases import Shape, index_tensor
from runtimes.families.movement_cases import QUANTISED_NAME

TYPES = ("bool", "int8", "int32", "int64", "uint8", "float32")
TWICE = ((1,), (0,), (1,), (2,))


def scatter(
    indices: object,
    x: Shape,
    y: Shape,
    dtype: str = "int8",
    y_scale: float = 0.5,
    *,
    computed: bool = False,
) -> Build:
    """Scattering of x to build; `computed` indices are these numbers, or each plus one."""

    def build(m: ModelWriter) -> None:
        scale, other = (0.5, y_scale) if dtype in QUANTISED_NAME else ((), ())
        where = index_tensor(m, indices, "int32", computed=computed)
        shape = m.constant("shape", np.array(y, np.int32))
        updates = m.input("x", x, dtype, scale)
        m.output(m.value("SCATTER_ND", [where, updates, shape], m.tensor("y", y, dtype, other)))

    return build


class TestScatterNd(OpTests):
    cases = (
        *(Case(t, scatter(TWICE, (4, 5), (4, 5), t, computed=True)) for t in TYPES),
        Case("elements", scatter(((1, 2), (0, 0), (1, 1)), (3,), (2, 3))),
        Case("images", scatter(((2,), (0,)), (2, 3, 2), (4, 3, 2))),
        Case("table", scatter((((1, 0), (0, 1)),), (1, 2, 3), (2, 2, 3))),
        Case("one", scatter((1, 2), (4,), (2, 3, 4), "int32")),
        Case("one_element", scatter(((0,),), (1,), (1,))),
    )
    rejected = (
        refused("negative", scatter(((-1,),), (1,), (4,)), "indices [-1] are no positions"),
        refused("beyond", scatter(((4,),), (1,), (4,)), "indices [4] are no positions"),
        refused("deep", scatter(((0, 0),), (1,), (4,)), "has no 1 to 1 indices"),
        refused("rows", scatter(((0,),), (1, 3), (4, 2)), "do not fit shape [4, 2]"),
        refused("scale", scatter(((0,),), (1,), (4,), y_scale=0.25), "quantised as"),
    )

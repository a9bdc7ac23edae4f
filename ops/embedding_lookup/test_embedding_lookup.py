"""EmbeddingLookup: every type, known and computed indices, int8 tables that become float32."""

from opsmith.testing.op_tests import *
from runtimes.families.indices_cases import Shape, index_tensor, looking_up
from runtimes.families.movement_cases import EVERY_TYPE_NAME


def look_up(x: Shape, indices: object, y: Shape, **others: Any) -> Build:
    """Lookup to build."""
    return looking_up("EMBEDDING_LOOKUP", x, indices, y, indices_first=True, **others)


def dequantised(
    scale: float | Sequence[float], zero_point: int = 0, axis: int = 0
) -> Callable[[ModelWriter], None]:
    """Lookup to build of float32 in a constant int8 table."""

    def build(m: ModelWriter) -> None:
        where = index_tensor(m, (2, 0, 1, 0), "int32", computed=True)
        zeros = zero_point if isinstance(scale, float) else [zero_point] * len(scale)
        values = np.linspace(-128, 127, 16).astype(np.int8).reshape(4, 4)
        table = m.constant("table", values, scale, zeros, axis=axis)
        m.output(m.value("EMBEDDING_LOOKUP", [where, table], m.tensor("y", (4, 4), "float32")))

    return build


class TestEmbeddingLookup(OpTests):
    cases = (
        *(
            Case(t, look_up((5, 7), (3, 0, 2), (3, 7), computed=True, dtype=t))
            for t in EVERY_TYPE_NAME
        ),
        Case("known", look_up((5, 16), (4, 4, 0), (3, 16))),
        Case("images", look_up((3, 2, 4), (1, 2), (2, 2, 4))),
        Case("float32_of_int8", dequantised(0.0137)),
        Case("float32_of_rows_of_int8", dequantised((0.1, 1e-7, 2.3, 0.37))),
        Case("one_element", look_up((1, 1), (0,), (1, 1))),
        Case("other_scale", look_up((4, 2), (0,), (1, 2), y_scale=0.25)),
    )
    rejected = (
        refused("negative", look_up((4, 2), (-1,), (1, 2)), "indices [-1] are no positions"),
        refused("beyond", look_up((4, 2), (4,), (1, 2)), "indices [4] are no positions"),
        refused("vector", look_up((4,), (0,), (1,)), "x i8[4] a table of rows"),
        refused("table", look_up((4, 2), ((0,),), (1, 1, 2)), "indices i32[1x1] must be a vector"),
        refused("zero_point", dequantised(0.5, 3), "zero point 0, per tensor or by rows"),
        refused("columns", dequantised((1.0, 2.0, 3.0, 4.0), axis=1), "per tensor or by rows"),
    )

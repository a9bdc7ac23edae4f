"""MatrixSetDiag: the matrices of x, along its last two axes, with other diagonals."""

from opsmith.op import *


@dataclass(frozen=True)
class Params(Rows):
    """Number and length of the rows, and how many a matrix has."""

    height: int  # rows of a matrix


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, which is x's."""
    x, diagonal = node["x"], node["diagonal"]
    if diagonal.shape != (wanted := (*x.shape[:-2], min(x.shape[-2:]))):
        raise OpError(f"diagonal {diagonal.type} must have shape {list(wanted)}")
    return [x.type]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Matrices with new diagonals, in numpy."""
    y, at = inputs[0].copy(), range(inputs[1].shape[-1])
    y[..., at, at] = inputs[1]
    return [y]


PARAMS = by_name(Params, height=lambda node: node["x"].shape[-2])
COST = instructions(row_count, 12.7, 8.2)
OP = Op(
    "matrix_set_diag",
    legalize=(Rename("tflite.MATRIX_SET_DIAG"),),
    inputs=(Input("x", "T", rank=at_least(2)), Input("diagonal", "T")),
    infer=infer,
    evaluate=evaluate,
    variants=of_types({"T": (i8, u8, i16, i32, i64, f32)}, reference(PARAMS, cost=COST)),
    examples=(Example.of(x=(2, 3, 4), diagonal=(2, 3)),),
)

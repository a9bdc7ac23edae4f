"""MatrixSetDiag: the matrices of x, along its last two axes, with other diagonals."""

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """Numbers and sizes of the matrices."""

    matrices: int
    rows: int
    columns: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y, which is x's."""
    x, diagonal = node["x"], node["diagonal"]
    if diagonal.shape != (wanted := (*x.shape[:-2], min(x.shape[-2:]))):
        raise OpError(f"diagonal {diagonal.type} must have shape {list(wanted)}")
    return [x.type]


def params(node: NodeView) -> Params:
    """Params of a node."""
    rows, columns = node["x"].shape[-2:]
    return Params(node["x"].elements // (rows * columns), rows, columns)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Matrices with new diagonals, in numpy."""
    y, at = inputs[0].copy(), range(inputs[1].shape[-1])
    y[..., at, at] = inputs[1]
    return [y]


COST = instructions(lambda node: node["x"].elements // node["x"].shape[-1], 12.7, 8.2)
OP = Op(
    "matrix_set_diag",
    legalize=(Rename("tflite.MATRIX_SET_DIAG"),),
    inputs=(Input("x", "T", rank=at_least(2)), Input("diagonal", "T")),
    infer=infer,
    evaluate=evaluate,
    variants=of_types({"T": (i8, u8, i16, i32, i64, f32)}, reference(params, cost=COST)),
    examples=(Example.of(x=(2, 3, 4), diagonal=(2, 3)),),
)

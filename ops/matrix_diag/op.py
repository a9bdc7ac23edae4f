"""MatrixDiag: square matrices with the rows of x on their diagonals, and elements 0 elsewhere."""

from opsmith.op import *


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: x with its last axis repeated."""
    x = node["x"]
    return [TensorType(x.dtype, (*x.shape, x.shape[-1]))]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Diagonal matrices, in numpy."""
    x = inputs[0][..., np.newaxis]
    return [np.where(np.eye(x.shape[-2], dtype=bool), x, x.dtype.type(0))]


OP = Op(
    "matrix_diag",
    legalize=(Rename("tflite.MATRIX_DIAG"),),
    inputs=(Input("x", "T", rank=at_least(1)),),
    infer=infer,
    evaluate=evaluate,
    variants=of_types(
        {"T": (i8, u8, i16, i32, i64, f32)},
        reference(Rows, cost=instructions(lambda node: node["x"].elements, 14.6, 7.8)),
    ),
    examples=(Example.of(x=(2, 3), y=(2, 3, 3)),),
)

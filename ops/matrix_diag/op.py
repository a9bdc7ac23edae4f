"""MatrixDiag: square matrices with the rows of x on their diagonals, and zeros elsewhere.

Zeros are elements that are 0, whatever the zero point, as in LiteRT.
"""

from opsmith.op import *
from opsmith.runtimes.families.params import Rows, by_name


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: x with its last axis repeated."""
    x = node["x"]
    if not x.shape:
        raise OpError("x must have an axis")
    return [TensorType(x.dtype, (*x.shape, x.shape[-1]))]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Diagonal matrices, in numpy."""
    x = inputs[0][..., np.newaxis]
    return [np.where(np.eye(x.shape[-2], dtype=bool), x, x.dtype.type(0))]


COST = instructions(lambda node: node["x"].elements, 14.6, 7.8)
KERNEL = Kernel("reference", Rows, every_node(by_name(Rows)), cost=COST)
OP = Op(
    "matrix_diag",
    legalize=(Rename("tflite.MATRIX_DIAG"),),
    inputs=(Input("x", "T"),),
    infer=infer,
    evaluate=evaluate,
    variants=tuple(Variant({"T": dtype}, (KERNEL,)) for dtype in (i8, u8, i16, i32, i64, f32)),
    examples=(Example({"x": ExampleTensor(i32, (2, 3)), "y": ExampleTensor(i32, (2, 3, 3))}),),
)

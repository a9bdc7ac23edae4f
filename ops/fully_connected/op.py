"""FullyConnected: every row times a matrix of weights, with a bias and a fused activation."""

from opsmith.op import *
from opsmith.runtimes.core.narrow_requantization import BIAS_TYPE
from opsmith.runtimes.families.matmul import MATMUL, multiplied, or_zeros

from .f32 import F32
from .f32x8 import F32X8
from .i8 import I8
from .i16x8 import I16X8, I16X8_32
from .u8 import U8


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [rows, channels]; with keep_num_dims, x's shape with its last size replaced."""
    return [multiplied(node, node.attributes["keep_num_dims"])]


OP = Op(
    name="fully_connected",
    legalize=(
        Rename(
            "tflite.FULLY_CONNECTED",
            versions=range(1, 15),
            attributes={"fused_activation_function": "activation"},
        ),
    ),
    inputs=(
        Input("x", "T"),
        Input("weights", "W", constant=True),
        Input("bias", "B", constant=True, optional=True, first=True),
    ),
    outputs=(Output("y", "T"),),
    attributes=(
        *CLAMP_ATTRIBUTES,
        Attribute("keep_num_dims", bool, default=False),
        Attribute("asymmetric_quantize_inputs", bool, default=False),
        BIAS_TYPE,
    ),
    traits={"fuses_activation", "from_nothing"},
    infer=infer,
    hooks=Hooks(macs=MATMUL.macs),
    variants=tuple(map(or_zeros, (I8, I16X8, I16X8_32, F32, F32X8, U8))),
)

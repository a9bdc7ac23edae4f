"""FullyConnected: every row times a matrix of weights, with a bias and a fused activation."""

from __future__ import annotations

from collections.abc import Sequence

from runtimes.families.matmul import MATMUL, multiplied
from toolchain.op import Attribute, Hooks, Input, NodeView, Op, Output, Rename, TensorType
from toolchain.op.clamp import CLAMP_ATTRIBUTES

from .f32 import F32
from .i8 import I8
from .i16x8 import I16X8


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [rows, channels]; with keep_num_dims, x's shape with its last size replaced."""
    return [multiplied(node, node.attributes["keep_num_dims"])]


OP = Op(
    name="fully_connected",
    legalize=(
        Rename(
            "tflite.FULLY_CONNECTED",
            versions=range(1, 13),
            attributes={"fused_activation_function": "activation"},
            # the first is of other element types, the second the bias's own type
            ignore=("asymmetric_quantize_inputs", "quantized_bias_type"),
        ),
    ),
    inputs=(
        Input("x", "T"),
        Input("weights", "W", constant=True),
        Input("bias", "B", constant=True, optional=True),
    ),
    outputs=(Output("y", "T"),),
    attributes=(*CLAMP_ATTRIBUTES, Attribute("keep_num_dims", bool, default=False)),
    traits={"fuses_activation"},
    infer=infer,
    hooks=Hooks(macs=MATMUL.macs),
    variants=(I8, I16X8, F32),
)

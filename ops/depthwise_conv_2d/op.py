"""DepthwiseConv2D: convolution of each channel of NHWC images by itself, with an activation."""

from opsmith.op import *
from opsmith.runtimes.families.convolution import (
    CONVOLUTION_ATTRIBUTES,
    CONVOLUTION_OPTIONS,
    FILTER,
    filtered_size,
)
from opsmith.runtimes.families.depthwise import DEPTHWISE

from .f32 import F32
from .f32x8 import F32X8
from .i8 import I8
from .i16x8 import I16X8
from .u8 import U8


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [batches, output_height, output_width, channels of the filter]."""
    x, weights = node["x"], node["filter"]
    if len(x.shape) != 4 or len(weights.shape) != 4 or weights.shape[0] != 1:
        raise OpError(f"x {x.type} must have four dimensions, filter {weights.type} be 1xHxWxC")
    if weights.shape[3] % x.shape[3]:
        raise OpError(f"the channels of filter {weights.type} are no multiple of those of {x.type}")
    return [TensorType(x.dtype, (x.shape[0], *filtered_size(node), weights.shape[3]))]


OP = Op(
    name="depthwise_conv_2d",
    legalize=(
        Rename(
            "tflite.DEPTHWISE_CONV_2D",
            range(1, 8),
            CONVOLUTION_OPTIONS,
            ignore=("depth_multiplier",),  # follows from the shapes, as it does in TFLite
        ),
    ),
    inputs=(
        Input("x", "T"),
        Input("filter", "F", constant=True),
        Input("bias", "B", constant=True, optional=True),
    ),
    outputs=(Output("y", "T"),),
    attributes=CONVOLUTION_ATTRIBUTES,
    traits={"fuses_activation"},
    infer=infer,
    hooks=Hooks(macs=DEPTHWISE.macs) | FILTER,
    variants=(I8, I16X8, F32, F32X8, U8),
)

"""Conv2D: convolution of NHWC images, with dilation, groups and a fused activation."""

from opsmith.op import *
from opsmith.runtimes.core.narrow_requantization import BIAS_TYPE
from opsmith.runtimes.families.convolution import (
    CONVOLUTION,
    CONVOLUTION_ATTRIBUTES,
    CONVOLUTION_OPTIONS,
    FILTER,
    filtered_size,
)

from .f32 import F32
from .f32x8 import F32X8
from .i8 import I8
from .i16x8 import I16X8, I16X8_32
from .u8 import U8


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [batches, output_height, output_width, output_channels]."""
    x, weights = node["x"], node["filter"]
    if len(x.shape) != 4 or len(weights.shape) != 4:
        raise OpError(f"x {x.type} and filter {weights.type} must have four dimensions")
    groups, rest = divmod(x.shape[3], max(weights.shape[3], 1))
    if not weights.shape[3] or rest or groups < 1 or weights.shape[0] % groups:
        raise OpError(f"the channels of x {x.type} do not fit filter {weights.type}")
    return [TensorType(x.dtype, (x.shape[0], *filtered_size(node), weights.shape[0]))]


OP = Op(
    name="conv_2d",
    legalize=(Rename("tflite.CONV_2D", range(1, 9), CONVOLUTION_OPTIONS),),
    inputs=(
        Input("x", "T"),
        Input("filter", "F", constant=True),
        Input("bias", "B", constant=True),  # TFLite has no convolution without one
    ),
    outputs=(Output("y", "T"),),
    attributes=(*CONVOLUTION_ATTRIBUTES, BIAS_TYPE),
    traits={"fuses_activation"},
    infer=infer,
    hooks=Hooks(macs=CONVOLUTION.macs) | FILTER,
    variants=(I8, I16X8, I16X8_32, F32, F32X8, U8),
)

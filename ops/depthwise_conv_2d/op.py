"""DepthwiseConv2D: convolution of each channel of NHWC images by itself, with an activation."""

from opsmith.op import *
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.filtered import filtered

from .f32 import F32
from .f32x8 import F32X8
from .i8 import I8
from .i16x8 import I16X8
from .several_filters import SEVERAL_FILTERS
from .u8 import U8


def channels(node: NodeView) -> int:
    """Number of channels of the filter, a multiple of x's channels."""
    x, weights = node["x"], node["filter"]
    if weights.shape[0] != 1:
        raise OpError(f"filter {weights.type} must be 1xHxWxC")
    if weights.shape[3] % x.shape[3]:
        raise OpError(f"the channels of filter {weights.type} are no multiple of those of {x.type}")
    return weights.shape[3]


# What the depth_multiplier would say follows from the shapes, as it does in TFLite.
SOURCE = Rename("tflite.DEPTHWISE_CONV_2D", versions=range(1, 8), ignore=("depth_multiplier",))
VARIANTS = (I8, I16X8, F32, F32X8, U8)
OP = replace(
    filtered("depthwise_conv_2d", SOURCE, channels, DEPTHWISE.macs, VARIANTS, optional=True),
    decompose=SEVERAL_FILTERS,
)

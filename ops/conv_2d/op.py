"""Conv2D: convolution of NHWC images, with dilation, groups and a fused activation."""

from opsmith.op import *
from runtimes.core.per_channel import BIAS_TYPE
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.filtered import filtered

from .f32 import F32
from .f32x8 import F32X8
from .i8 import I8
from .i16x8 import I16X8, I16X8_32
from .u8 import U8


def channels(node: NodeView) -> int:
    """Number of filters, each of which reads one group of the channels of x."""
    x, weights = node["x"], node["filter"]
    groups, rest = divmod(x.shape[3], max(weights.shape[3], 1))
    if not weights.shape[3] or rest or groups < 1 or weights.shape[0] % groups:
        raise OpError(f"the channels of x {x.type} do not fit filter {weights.type}")
    return weights.shape[0]


SOURCE = Rename("tflite.CONV_2D", versions=range(1, 9))
VARIANTS = (I8, I16X8, I16X8_32, F32, F32X8, U8)
OP = filtered("conv_2d", SOURCE, channels, CONVOLUTION.macs, VARIANTS, attributes=(BIAS_TYPE,))

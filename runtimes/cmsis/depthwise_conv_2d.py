"""DEPTHWISE_CONV_2D kernels that call CMSIS-NN."""

from opsmith.op import NodeView
from runtimes.cmsis.cmsis_nn import NnDepthwise, convolution_buffer, nn_convolution
from runtimes.families.convolution import filter_padding
from runtimes.families.depthwise import DEPTHWISE

CHANNELS_AT_ONCE = 124  # of a depthwise convolution with Helium (CH_IN_BLOCK_MVE)


def buffer(node: NodeView, core: str) -> int:
    """Scratch bytes of arm_depthwise_conv_wrapper_s8."""
    _, height, width, channels = node["filter"].shape
    batches, depth, a = node["x"].shape[0], node["x"].shape[3], node.attributes
    if core == "mve" and depth == 1 and channels > 1:  # becomes a convolution
        whole = convolution_buffer(node, core, (height, width, 1))
        return whole + channels * height * width
    plain = a["dilation_width"] == 1 and a["dilation_height"] == 1
    if depth != channels or batches != 1 or not plain:
        return 0
    if core == "mve":
        return 4 * CHANNELS_AT_ONCE * width * height
    narrow = filter_padding(node, 1) <= 1 and filter_padding(node, 2) <= 1
    return 0 if (height, width) == (3, 3) and narrow else 2 * depth * width * height


KERNELS = nn_convolution(
    DEPTHWISE, NnDepthwise, lambda node: None, buffer, {"mve": (1.58, 8.7), "dsp": (1.76, 57.0)}
)

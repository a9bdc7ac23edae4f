"""DepthwiseConv2D by CMSIS-NN."""

from __future__ import annotations

from functools import partial

from runtimes.cmsis.cmsis_nn import (
    NnConvolution,
    NnTables,
    convolution_buffer,
    nn_convolution,
    nn_kernels,
    nn_tables,
)
from runtimes.families.convolution import filter_padding
from toolchain.op import KernelsFor, NodeView, Plan, Refused, i8
from toolchain.op.cost import instructions

CHANNELS_AT_ONCE = 124  # of a depthwise convolution with Helium (CH_IN_BLOCK_MVE)


def macs(node: NodeView) -> int:
    """One for every place of the filter and output element."""
    return node["y"].elements * node["filter"].shape[1] * node["filter"].shape[2]


COSTS = {"mve": instructions(macs, 1.58, 8.7), "dsp": instructions(macs, 1.76, 57.0)}


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Every depthwise convolution."""
    return Plan(nn_convolution(node), partial(nn_tables, node), {"buffer": buffer(node, core)})


def buffer(node: NodeView, core: str) -> int:
    """Bytes for arm_depthwise_conv_wrapper_s8."""
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


KERNELS = (KernelsFor({"T": i8}, nn_kernels(NnConvolution, plan, COSTS, NnTables, buffer=True)),)

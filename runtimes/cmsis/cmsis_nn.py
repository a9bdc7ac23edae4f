"""Kernel rows that call CMSIS-NN, where the user has it: scratch, constants, and for which cores.

The library tells by functions how much scratch it wants; what they answer depends on the core that
it was compiled for. They are computed again here, for the releases that `toolchain/scons` accepts,
since memory is planned at build time (Source/*/arm_*_get_buffer_sizes_s8.c of CMSIS-NN).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import bias_table, channel_multipliers
from runtimes.families.convolution import filter_macs, filter_padding
from toolchain.ir.types import i8
from toolchain.op.cost import instructions
from toolchain.op.legacy import Kernel, Scratch
from toolchain.op.view import NodeView

LIBRARY = "cmsis_nn"  # the feature that `cmsis_nn=PREFIX` grants
CORES = ("mve", "dsp")  # what the library was compiled for, the best first
_CHANNELS_AT_ONCE = 124  # of a depthwise convolution with Helium (CH_IN_BLOCK_MVE)

Buffer = Callable[[NodeView, str], int]  # (node, core) -> bytes
Cost = Callable[[NodeView], float]


@dataclass(frozen=True)
class NnTables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.int8]  # as the model has it
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int32]  # power of two, left is positive


def nn_rows(
    kernel: Kernel, costs: Mapping[str, Cost], buffer: Buffer | None = None
) -> tuple[Kernel, ...]:
    """The row for each kind of core: with the cost there, and with scratch of the size there."""
    return tuple(
        replace(
            kernel,
            requires={LIBRARY, core},
            excludes=frozenset(CORES[:place]),
            libraries=("cmsis-nn",),
            cost=costs[core],
            scratch=() if buffer is None else (Scratch("buffer", i8, _sized(buffer, core)),),
        )
        for place, core in enumerate(CORES)
    )


def _sized(buffer: Buffer, core: str) -> Callable[[NodeView], int]:
    return lambda node: buffer(node, core)


def convolution_rows(kernel: Kernel) -> tuple[Kernel, ...]:
    """The rows of a convolution."""
    costs = {"mve": (0.188, 15.4), "dsp": (1.67, 41.4)}
    return nn_rows(kernel, _priced(filter_macs, costs), convolution_buffer)


def depthwise_rows(kernel: Kernel) -> tuple[Kernel, ...]:
    """The rows of a depthwise convolution."""
    costs = {"mve": (1.58, 8.7), "dsp": (1.76, 57.0)}
    return nn_rows(kernel, _priced(_depthwise_macs, costs), depthwise_buffer)


def _priced(
    macs: Callable[[NodeView], int], costs: Mapping[str, tuple[float, float]]
) -> Mapping[str, Cost]:
    return {core: instructions(macs, *pair) for core, pair in costs.items()}


def _depthwise_macs(node: NodeView) -> int:
    return node["y"].elements * node["filter"].shape[1] * node["filter"].shape[2]


def nn_tables(node: NodeView) -> NnTables:
    """The constants of a convolution or a depthwise one."""
    multiplier, shift = channel_multipliers(node)
    bias = bias_table(node, node["y"].shape[3])
    return NnTables(node["filter"].data, bias, multiplier, shift.astype(np.int32))


def one_group(node: NodeView) -> bool:
    """Whether a convolution has one group: of more, releases differ in what they do."""
    return node["x"].shape[3] == node["filter"].shape[3]


def convolution_buffer(node: NodeView, core: str) -> int:
    """Bytes for arm_convolve_wrapper_s8 of one group."""
    return _convolution(node, core, *node["filter"].shape[1:])


def _convolution(node: NodeView, core: str, height: int, width: int, depth: int) -> int:
    a, size = node.attributes, height * width * depth
    plain = a["dilation_width"] == 1 and a["dilation_height"] == 1
    padded = filter_padding(node, 1) or filter_padding(node, 2)
    if (height, width) == (1, 1) and plain and not padded:
        return 0
    if core != "mve":
        return 4 * (-(-size // 4) * 4)  # two columns of int16
    row = node["x"].shape[1] == 1 and a["dilation_width"] == 1 and height == 1
    if row and a["stride_width"] * depth % 4 == 0:
        return _row_buffer(node, width, depth, 4 * (-(-size // 16) * 16))
    return 4 * (-(-size // 16) * 16)  # four columns of whole vectors


def _row_buffer(node: NodeView, width: int, depth: int, otherwise: int) -> int:
    """Bytes for a filter of one row over an image of one row, with Helium."""
    stride, before, outputs = (
        node.attributes["stride_width"],
        filter_padding(node, 2),
        node["y"].shape[2],
    )
    total = (outputs - 1) * stride + width - node["x"].shape[2]
    odd = total - 2 * int(total / 2)  # C's remainder, which has the sign of the total
    right = max(1, int((before + odd + stride - 1) / stride)) if before + odd else 0
    left = max(1, (before + stride - 1) // stride) if before else 0
    if right + left + max(outputs - right - left, 0) != outputs:
        return otherwise
    beyond = right * depth if odd else before * depth
    return max(width * depth + before * depth, (width - 1) * depth + beyond)


def depthwise_buffer(node: NodeView, core: str) -> int:
    """Bytes for arm_depthwise_conv_wrapper_s8."""
    _, height, width, channels = node["filter"].shape
    batches, depth, a = node["x"].shape[0], node["x"].shape[3], node.attributes
    if core == "mve" and depth == 1 and channels > 1:  # becomes a convolution
        return _convolution(node, core, height, width, 1) + channels * height * width
    plain = a["dilation_width"] == 1 and a["dilation_height"] == 1
    if depth != channels or batches != 1 or not plain:
        return 0
    if core == "mve":
        return 4 * _CHANNELS_AT_ONCE * width * height
    narrow = filter_padding(node, 1) <= 1 and filter_padding(node, 2) <= 1
    return 0 if (height, width) == (3, 3) and narrow else 2 * depth * width * height


def average_pool_buffer(node: NodeView, core: str) -> int:
    """Bytes for arm_avgpool_s8."""
    return 4 * node["x"].shape[3] if core == "dsp" else 0

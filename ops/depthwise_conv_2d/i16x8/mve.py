"""DepthwiseConv2D of int16 by mve.h, for Helium: eight channels at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from runtimes.families.convolution import pixel_overlap
from runtimes.families.depthwise import depthwise_macs, refused_multiplier
from toolchain.op import Array, Kernel, NodeView, Plan, Refused, i32
from toolchain.op.cost import instructions

from .params import WIDE, Params, narrow_constants, params

CHANNELS = 8  # of a pixel that the kernel computes before it writes any of them
WIDENED = [0, 2, 4, 6, 1, 3, 5, 7]  # the channels that VMULLB makes of eight, then VMULLT


@dataclass(frozen=True)
class EightChannels:
    """Constants of Narrow, in the order WIDENED."""

    bias: Annotated[tuple[int, ...], i32, 8]
    multiplier: Annotated[tuple[int, ...], i32, 8]


@dataclass(frozen=True)
class MveTables:
    """Constants for mve.h."""

    filter: NDArray[np.int8]  # [filter_height * filter_width * channels + 8]
    requantization: tuple[EightChannels, ...]


def plan(node: NodeView) -> Plan | Refused:
    """For one filter for each channel, and sums of 32 bits."""
    if refused := refused_multiplier(node):
        return refused
    narrow = narrow_constants(node)
    if narrow is None:
        return Refused(WIDE)
    overlap = partial(pixel_overlap, node, CHANNELS)
    return Plan(params(node), partial(_tables, node, narrow), overlap=overlap)


def _tables(node: NodeView, narrow: Array) -> MveTables:
    """The filter as the model has it, and requantisation of eight channels at a time."""
    filled = np.pad(narrow, ((0, -len(narrow) % CHANNELS), (0, 0)))
    blocks = filled.reshape(-1, CHANNELS, 2)[:, WIDENED].transpose(0, 2, 1)
    weights = np.pad(node["filter"].data.reshape(-1), (0, CHANNELS))
    constants = tuple(EightChannels(*map(tuple, block)) for block in blocks.tolist())
    return MveTables(weights, constants)


MVE = Kernel(
    "mve",
    Params,
    plan,
    MveTables,
    requires={"mve"},
    cost=instructions(depthwise_macs, 1.2, 8.0),
)

"""DepthwiseConv2D of int16 by dsp_general.h: any filter, four channels at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.cmsis.dsp_packing import side_by_side
from runtimes.families.convolution import pixel_overlap
from runtimes.families.depthwise import depthwise_macs, refused_multiplier
from toolchain.op import Array, Kernel, NodeView, Plan, Refused
from toolchain.op.cost import instructions

from .params import WIDE, Params, narrow_constants, params

CHANNELS = 4  # of a pixel that the kernel computes before it writes any of them


@dataclass(frozen=True)
class GeneralTables:
    """Constants by blocks of four channels, the last with the last four."""

    filter: NDArray[np.int8]  # [block][filter_height][filter_width][4]
    requantization: NDArray[np.int32]  # [block][4][2]: Narrow


def plan(node: NodeView) -> Plan | Refused:
    """For a block of channels, one filter for each, and sums of 32 bits."""
    if refused := refused_multiplier(node):
        return refused
    if (channels := node["x"].shape[3]) < CHANNELS:
        return Refused(f"{channels} channels, fewer than {CHANNELS}")
    narrow = narrow_constants(node)
    if narrow is None:
        return Refused(WIDE)
    overlap = partial(pixel_overlap, node, CHANNELS)
    return Plan(params(node), partial(_tables, node, narrow), overlap=overlap)


def _tables(node: NodeView, narrow: Array) -> GeneralTables:
    """The filter as the kernel reads it, and requantisation per channel of a block."""
    channels = node["x"].shape[3]
    starts = np.minimum(np.arange(0, channels, CHANNELS), channels - CHANNELS)
    table = narrow[starts[:, None] + np.arange(CHANNELS)]
    return GeneralTables(side_by_side(node["filter"].data.reshape(-1, channels), starts), table)


DSP_GENERAL = Kernel(
    "dsp_general",
    Params,
    plan,
    GeneralTables,
    requires={"dsp"},
    cost=instructions(depthwise_macs, 3.0, 27.0),
)

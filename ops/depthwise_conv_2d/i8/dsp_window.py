"""DepthwiseConv2D of int8 by dsp_window.h: y is one pixel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.dsp_requantization import NOT_PROVED, DspRequantization
from runtimes.families.depthwise import depthwise_macs, refused_multiplier
from toolchain.op import Distance, Kernel, NodeView, Plan, Refused
from toolchain.op.clamp import clamp_range
from toolchain.op.cost import instructions

from .params import axes, requantization

CHANNELS = 4  # in a word


@dataclass(frozen=True)
class WindowParams:
    """One window over an image. Pitches are bytes from one to the next."""

    batches: int
    channels: int
    input_bytes: int  # of an image
    filter_height: int
    filter_width: int
    row_pitch: int
    tap_pitch: int
    activation_min: int
    activation_max: int
    left_shift: int  # of dsp::Threshold
    right_shift: int  # the same; 0: dsp::Rounding


@dataclass(frozen=True)
class WindowTables:
    """Constants by four channels."""

    filter: NDArray[np.int8]  # [channels / 4][taps][4]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plan(node: NodeView) -> Plan | Refused:
    """For one window of the image and none of its border, and whole words of channels."""
    if refused := refused_multiplier(node) or _refused(node):
        return refused
    found = requantization(node)
    if found is None:
        return Refused(NOT_PROVED)
    return Plan(_params(node, found), partial(_tables, found), overlap=_overlap)


def _refused(node: NodeView) -> Refused | None:
    x, (_, height, width, _) = node["x"], node["y"].shape
    if x.shape[3] % CHANNELS:
        return Refused(f"{x.shape[3]} channels are no multiple of {CHANNELS}")
    if (height, width) != (1, 1):
        return Refused(f"y is {height}x{width}, not one pixel")
    if any(a.padding or (a.filter - 1) * a.dilation + 1 > a.input for a in axes(node)):
        return Refused("the window reaches beyond the image")
    return None


def _params(node: NodeView, found: DspRequantization) -> WindowParams:
    x, weights, a = node["x"], node["filter"], node.attributes
    low, high = clamp_range(node)
    pixel = x.shape[3]
    return WindowParams(
        batches=x.shape[0],
        channels=pixel,
        input_bytes=x.elements // x.shape[0],
        filter_height=weights.shape[1],
        filter_width=weights.shape[2],
        row_pitch=a["dilation_height"] * x.shape[2] * pixel,
        tap_pitch=a["dilation_width"] * pixel,
        activation_min=low,
        activation_max=high,
        left_shift=found.left,
        right_shift=found.right,
    )


def _tables(found: DspRequantization) -> WindowTables:
    """The weights of four channels tap by tap."""
    words = found.weights.reshape(-1, CHANNELS, found.weights.shape[1]).transpose(0, 2, 1)
    return WindowTables(np.ascontiguousarray(words).astype(np.int8), found.table)


def _overlap() -> dict[str, Distance]:
    """Four channels of a pixel are written once those of all others are read."""
    return {"x": Distance(in_place=True)}


DSP_WINDOW = Kernel(
    "dsp_window",
    WindowParams,
    plan,
    WindowTables,
    requires={"dsp"},
    cost=instructions(depthwise_macs, 2.8, 7.0),
)

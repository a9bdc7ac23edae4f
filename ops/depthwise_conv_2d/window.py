"""What cmsis_dsp_window.h of DepthwiseConv2D takes and is given: y is one pixel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.clamp import clamp_range
from toolchain.op.convolution import filter_padding

from . import dsp

CHANNELS = 4  # in a word


@dataclass(frozen=True)
class WindowParams:
    """What the kernel may know at compile time. Pitches are bytes from one to the next."""

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


def window_params(node: NodeView) -> WindowParams:
    """The geometry, the clamp and the shifts of this node."""
    x, weights, a, found = node["x"], node["filter"], node.attributes, dsp.requantization(node)
    assert found is not None
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


def window_tables(node: NodeView) -> WindowTables:
    """The weights of four channels tap by tap."""
    found = dsp.requantization(node)
    assert found is not None
    words = found.weights.reshape(-1, CHANNELS, found.weights.shape[1]).transpose(0, 2, 1)
    return WindowTables(np.ascontiguousarray(words).astype(np.int8), found.table)


def takes(node: NodeView) -> bool:
    """One window of the image and none of its border, whole words of channels."""
    x, weights, y = node["x"], node["filter"], node["y"]
    plain = weights.shape[3] == x.shape[3] and x.shape[3] % CHANNELS == 0
    if not plain or y.shape[1:3] != (1, 1):
        return False
    for axis, name in ((1, "dilation_height"), (2, "dilation_width")):
        reach = (weights.shape[axis] - 1) * node.attributes[name] + 1
        if filter_padding(node, axis) != 0 or reach > x.shape[axis]:
            return False
    return dsp.requantization(node) is not None


def overlap(node: NodeView) -> dict[str, Distance]:
    """Four channels of a pixel are written once those of all others are read."""
    return {"x": Distance(in_place=True)}

"""What cmsis_dsp_general.h of DepthwiseConv2D takes and is given.

The kernel knows lines of samples: rows of pixels, or columns where the filter is longer that way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import Distance, NodeView
from toolchain.op.clamp import clamp_range
from toolchain.op.convolution import filter_padding

from . import dsp

MAX_PLANE = 4096  # bytes
OUTPUTS = 4  # of a line that the kernel computes at once


@dataclass(frozen=True)
class LineParams:
    """What the kernel may know at compile time. Pitches are bytes from one to the next."""

    batches: int
    channels: int
    input_bytes: int  # of an image
    output_bytes: int
    input_line_pitch: int
    input_sample_pitch: int
    output_line_pitch: int
    output_sample_pitch: int
    copied_lines: int  # of the input that windows reach
    copied_samples: int
    output_lines: int
    output_samples: int
    filter_lines: int
    filter_words: int  # of a line of the filter: one for each four samples
    stride_line: int
    stride_sample: int
    dilation_line: int
    padding_line: int
    padding_sample: int
    plane_pitch: int
    plane_bytes: int
    input_zero_point: int
    activation_min: int
    activation_max: int
    left_shift: int  # of dsp::Threshold
    right_shift: int  # the same; 0: dsp::Rounding


@dataclass(frozen=True)
class LineTables:
    """Constants by channel."""

    filter: NDArray[np.int8]  # [channels][lines][samples, filled up to a multiple of four]
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


@dataclass(frozen=True)
class Axis:
    """One direction of the image."""

    input: int
    output: int
    filter: int
    stride: int
    dilation: int
    padding: int
    pitch: int  # pixels from one to the next, of x
    output_pitch: int


def line_params(node: NodeView) -> LineParams:
    """The geometry, the clamp and the shifts of this node."""
    lines, samples = _axes(node)
    x, y, found = node["x"], node["y"], dsp.requantization(node)
    assert found is not None
    low, high = clamp_range(node)
    channels, pitch = x.shape[3], _plane_pitch(samples)
    return LineParams(
        batches=x.shape[0],
        channels=channels,
        input_bytes=x.elements // x.shape[0],
        output_bytes=y.elements // x.shape[0],
        input_line_pitch=lines.pitch * channels,
        input_sample_pitch=samples.pitch * channels,
        output_line_pitch=lines.output_pitch * channels,
        output_sample_pitch=samples.output_pitch * channels,
        copied_lines=min(lines.input, _plane_lines(lines) - lines.padding),
        copied_samples=min(samples.input, pitch - samples.padding),
        output_lines=lines.output,
        output_samples=samples.output,
        filter_lines=lines.filter,
        filter_words=-(-samples.filter // 4),
        stride_line=lines.stride,
        stride_sample=samples.stride,
        dilation_line=lines.dilation,
        padding_line=lines.padding,
        padding_sample=samples.padding,
        plane_pitch=pitch,
        plane_bytes=_plane_lines(lines) * pitch,
        input_zero_point=x.zero_point,
        activation_min=low,
        activation_max=high,
        left_shift=found.left,
        right_shift=found.right,
    )


def line_tables(node: NodeView) -> LineTables:
    """The filter line by line, each filled up to a multiple of four samples with zeros."""
    found = dsp.requantization(node)
    assert found is not None
    _, height, width, channels = node["filter"].shape
    weights = found.weights.reshape(channels, height, width)
    if _columns_are_lines(node):
        weights = weights.transpose(0, 2, 1)
    filled = np.pad(weights, ((0, 0), (0, 0), (0, -weights.shape[2] % 4)))
    return LineTables(np.ascontiguousarray(filled), found.table)


def takes(node: NodeView) -> bool:
    """One output channel for each input channel, neighbouring samples, a bounded plane."""
    if node["filter"].shape[3] != node["x"].shape[3] or _axes(node)[1].dilation != 1:
        return False
    return plane(node) <= MAX_PLANE and dsp.requantization(node) is not None


def overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of an image is copied to scratch before it is written, so y may replace x."""
    return dsp.overlap(node)


def plane(node: NodeView) -> int:
    """Bytes of a channel with its border, and of what is read beyond the last outputs."""
    lines, samples = _axes(node)
    return _plane_lines(lines) * _plane_pitch(samples)


def _plane_lines(lines: Axis) -> int:
    return (lines.output - 1) * lines.stride + (lines.filter - 1) * lines.dilation + 1


def _plane_pitch(samples: Axis) -> int:
    outputs = -(-samples.output // OUTPUTS) * OUTPUTS
    return (outputs - 1) * samples.stride + -(-samples.filter // 4) * 4


def _columns_are_lines(node: NodeView) -> bool:
    """Whether the kernel walks down the image."""
    _, height, width, _ = node["filter"].shape
    return height > width


def _axes(node: NodeView) -> tuple[Axis, Axis]:
    """(across lines, along lines)."""
    down, right = axes(node)
    return (right, down) if _columns_are_lines(node) else (down, right)


def axes(node: NodeView) -> tuple[Axis, Axis]:
    """(down, right)."""
    x, y, weights, a = node["x"], node["y"], node["filter"], node.attributes
    down = Axis(
        x.shape[1],
        y.shape[1],
        weights.shape[1],
        a["stride_height"],
        a["dilation_height"],
        filter_padding(node, 1),
        x.shape[2],
        y.shape[2],
    )
    right = Axis(
        x.shape[2],
        y.shape[2],
        weights.shape[2],
        a["stride_width"],
        a["dilation_width"],
        filter_padding(node, 2),
        1,
        1,
    )
    return down, right

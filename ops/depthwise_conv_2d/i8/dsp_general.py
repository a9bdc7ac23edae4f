"""DepthwiseConv2D of int8 by dsp_general.h: any filter, a channel in a plane with its border.

The kernel knows lines of samples: rows of pixels, or columns where the filter is longer that way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.dsp_requantization import NOT_PROVED, DspRequantization
from runtimes.families.depthwise import depthwise_macs, refused_multiplier
from toolchain.op import Kernel, NodeView, Plan, Refused, i8
from toolchain.op.clamp import clamp_range
from toolchain.op.cost import instructions

from .dsp import overlap
from .params import Axis, axes, requantization

MAX_PLANE = 4096  # bytes
OUTPUTS = 4  # of a line that the kernel computes at once


@dataclass(frozen=True)
class LineParams:
    """Lines of samples, a channel in a plane. Pitches are bytes from one to the next."""

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


def plan(node: NodeView) -> Plan | Refused:
    """For one filter for each channel, samples that are neighbours, and a bounded plane."""
    if refused := refused_multiplier(node):
        return refused
    if (dilation := _axes(node)[1].dilation) != 1:
        return Refused(f"filter is dilated by {dilation} along its lines")
    if (plane := _plane(node)) > MAX_PLANE:
        return Refused(f"a plane has {plane} bytes, more than {MAX_PLANE}")
    found = requantization(node)
    if found is None:
        return Refused(NOT_PROVED)
    return Plan(
        _params(node, found),
        partial(_tables, node, found),
        {"plane": plane},
        partial(overlap, node),
    )


def _params(node: NodeView, found: DspRequantization) -> LineParams:
    (lines, samples), x, y = _axes(node), node["x"], node["y"]
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


def _tables(node: NodeView, found: DspRequantization) -> LineTables:
    """The filter line by line, each filled up to a multiple of four samples with zeros."""
    _, height, width, channels = node["filter"].shape
    weights = found.weights.reshape(channels, height, width)
    if _columns_are_lines(node):
        weights = weights.transpose(0, 2, 1)
    filled = np.pad(weights, ((0, 0), (0, 0), (0, -weights.shape[2] % 4)))
    return LineTables(np.ascontiguousarray(filled), found.table)


def _plane(node: NodeView) -> int:
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


DSP_GENERAL = Kernel(
    "dsp_general",
    LineParams,
    plan,
    LineTables,
    scratch={"plane": i8},
    requires={"dsp"},
    copies=("memset",),
    cost=instructions(depthwise_macs, 4.5, 11.8),
)

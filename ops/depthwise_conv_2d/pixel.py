"""The row of DepthwiseConv2D for Helium and images whose output is a pixel: cmsis_mve_pixel.h."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toolchain.op import Distance, Kernel, NodeView
from toolchain.op.clamp import clamp_range
from toolchain.op.convolution import filter_padding
from toolchain.op.mve_packing import folded_bias, geometry_words, requantization_words, right_shifts

from .mve_general import WIDENED, MveTables, mve_params


@dataclass(frozen=True)
class _Geometry:
    """What cmsis_mve_pixel.h calls PixelGeometry."""

    batches: int
    channels: int
    input_bytes: int
    rows: int
    columns: int
    first: int
    row_step: int
    column_step: int
    first_weight: int
    weight_row_step: int
    weight_column_step: int
    output_zero_point: int
    activation_min: int
    activation_max: int


def _takes(node: NodeView) -> bool:
    """A channel of y for each of x, one pixel of y, and shifts to the right."""
    plain = node["filter"].shape[3] == node["x"].shape[3] and node["y"].shape[1:3] == (1, 1)
    return plain and right_shifts(node) is not None


def _inside(node: NodeView, axis: int) -> tuple[int, int, int]:
    """(first tap inside the image, how many there are, from tap to tap) along an axis."""
    dilation = node.attributes["dilation_height" if axis == 1 else "dilation_width"]
    padding = filter_padding(node, axis)
    at = np.arange(node["filter"].shape[axis]) * dilation - padding
    taps = np.flatnonzero((at >= 0) & (at < node["x"].shape[axis]))
    return (int(taps[0]) if taps.size else 0), taps.size, dilation


def _geometry(node: NodeView) -> _Geometry:
    x, y = node["x"], node["y"]
    batches, _, width, channels = x.shape
    (top, rows, down), (left, columns, right) = _inside(node, 1), _inside(node, 2)
    first_row = top * down - filter_padding(node, 1)
    first_column = left * right - filter_padding(node, 2)
    filter_width = node["filter"].shape[2]
    steps = (down * width * channels, right * channels, filter_width * channels, channels)
    if columns == 1:  # one row of taps below each other
        rows, columns, steps = 1, rows, (steps[1], steps[0], steps[3], steps[2])
    low, high = clamp_range(node)
    return _Geometry(
        batches=batches,
        channels=channels,
        input_bytes=x.elements // batches,
        rows=rows,
        columns=columns,
        first=(first_row * width + first_column) * channels,
        row_step=steps[0],
        column_step=steps[1],
        first_weight=(top * filter_width + left) * channels,
        weight_row_step=steps[2],
        weight_column_step=steps[3],
        output_zero_point=y.zero_point,
        activation_min=low,
        activation_max=high,
    )


def _tables(node: NodeView) -> MveTables:
    """The filter as the model has it; what the input's zero point adds, of the taps inside."""
    (top, rows, _), (left, columns, _) = _inside(node, 1), _inside(node, 2)
    weights, requantization = node["filter"].data, right_shifts(node)
    assert requantization is not None
    used = weights[0, top : top + rows, left : left + columns].reshape(-1, weights.shape[3]).T
    g = _geometry(node)
    return MveTables(
        geometry_words(g),
        weights,
        requantization_words(folded_bias(node, used), *requantization, WIDENED),
    )


def _instructions(node: NodeView) -> float:
    """Counted in the kernel's machine code."""
    taps = _inside(node, 1)[1] * _inside(node, 2)[1]
    batches, _, _, channels = node["x"].shape
    return float(batches * -(-channels // 16) * (100 + 16 * taps))


MVE_PIXEL = Kernel(
    "cmsis_mve_pixel.h",
    requires={"mve"},
    cost=_instructions,
    when=_takes,
    params=mve_params,
    tables=_tables,
    overlap=lambda node: {"x": Distance(in_place=True)},
)

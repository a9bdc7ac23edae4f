"""MaxPool2D: the largest element of each window of an NHWC image, with a fused activation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runtimes.families.pooling import (
    pool_axes,
    pool_kernel,
    pool_params,
    pool_taps,
    pooling,
    word_problem,
)
from toolchain.op import Array, Attribute, Borders, Hooks, ListOf, NodeView, Rows, Streaming, i8
from toolchain.op.border import Border, image_border
from toolchain.op.rows import columns_around, window_rows


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The maxima in numpy: what lies outside the image does not count."""
    p = pool_params(node)
    largest = np.full(node["y"].shape, i8.limits[0], np.int8)
    for outputs, pixels in pool_taps(p, inputs[0]):
        largest[outputs] = np.maximum(largest[outputs], pixels)
    return [np.clip(largest, p.activation_min, p.activation_max).astype(np.int8)]


def takes_border(node: NodeView, border: Border) -> Mapping[str, Any] | None:
    """Attributes for x without a border that is never larger than a pixel that its window has."""
    attributes, (rows, columns) = image_border(node, border), pool_axes(pool_params(node))
    if attributes is None or border.value != i8.limits[0]:
        return None
    for axis, taps in ((1, rows), (2, columns)):
        first = -taps.padding - border.before[axis]
        size = taps.size - border.before[axis] - border.after[axis]
        if first + taps.window <= 0 or first + (taps.output - 1) * taps.stride >= size:
            return None
    return attributes


def rows(node: NodeView) -> Rows:
    """y row by row; outside of the image are rows that are never larger than a pixel."""
    p = pool_params(node)
    columns = columns_around(
        p.input_width, p.output_width, p.window_width, p.stride_width, p.padding_left
    )
    value = i8.limits[0]
    return window_rows(node, p.window_height, p.stride_height, p.padding_top, value, columns)


OP = pooling(
    "max_pool_2d",
    "tflite.MAX_POOL_2D",
    (
        pool_kernel("mve", 0.33, 1.6, requires={"mve"}),
        pool_kernel("dsp", 1.9, 5.1, word_problem, requires={"dsp"}),
        pool_kernel("reference", 4.9, 54.0),
    ),
    evaluate=evaluate,
    attributes=(Attribute("border", ListOf(int), default=()),),
    hooks=Hooks(borders=Borders(absorbs=takes_border), streaming=Streaming(rows)),
)

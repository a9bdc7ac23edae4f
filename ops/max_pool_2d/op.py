"""MaxPool2D: the largest element of each window of an NHWC image, with a fused activation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runtimes.families.pooling import (
    POOL_ATTRIBUTES,
    pool_kernel,
    pool_params,
    pool_taps,
    pooling,
    refused_word,
)
from toolchain.op import (
    Array,
    Attribute,
    Borders,
    Hooks,
    ListOf,
    NodeView,
    Rows,
    Streaming,
    Variant,
    i8,
)
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
    attributes, p = image_border(node, border), pool_params(node)
    if attributes is None or border.value != i8.limits[0]:
        return None
    height = (p.padding_top, p.window_height, p.stride_height, p.output_height)
    width = (p.padding_left, p.window_width, p.stride_width, p.output_width)
    for axis, (padding, window, stride, outputs) in ((1, height), (2, width)):
        first = -padding - border.before[axis]
        size = node["x"].shape[axis] - border.before[axis] - border.after[axis]
        if first + window <= 0 or first + (outputs - 1) * stride >= size:
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
    attributes=(*POOL_ATTRIBUTES, Attribute("border", ListOf(int), default=())),
    hooks=Hooks(borders=Borders(absorbs=takes_border), streaming=Streaming(rows)),
    variants=(
        Variant(
            {"T": i8},
            (
                pool_kernel("mve", 0.33, 1.6, requires={"mve"}),
                pool_kernel("dsp", 1.9, 5.1, refused_word, requires={"dsp"}),
                pool_kernel("reference", 4.9, 54.0),
            ),
            evaluate=evaluate,
        ),
    ),
)

"""MaxPool2D: the largest element of each window of an NHWC image, with a fused activation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from runtimes.core.per_tensor import same_quantization_problems
from runtimes.families.pooling import (
    POOL_ATTRIBUTES,
    POOL_OPTIONS,
    PoolParams,
    pool_channels,
    pool_elements,
    pool_overlap,
    pool_params,
    pool_taps,
    pooled_range,
    pooled_type,
)
from toolchain.op.border import Border, image_border
from toolchain.op.cost import instructions
from toolchain.op.legacy import (
    Array,
    Attribute,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    ListOf,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    i8,
)
from toolchain.op.rows import Rows, columns_around, window_rows


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [batches, output_height, output_width, channels of x]."""
    return [pooled_type(node)]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from same_quantization_problems(node, "x", "y")


def params(node: NodeView) -> PoolParams:
    """The geometry of this node."""
    return pool_params(node)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The maxima in numpy: what lies outside the image does not count."""
    p = params(node)
    largest = np.full(node["y"].shape, i8.limits[0], np.int8)
    for outputs, pixels in pool_taps(p, inputs[0]):
        largest[outputs] = np.maximum(largest[outputs], pixels)
    return [np.clip(largest, p.activation_min, p.activation_max).astype(np.int8)]


def takes_border(node: NodeView, border: Border) -> Mapping[str, Any] | None:
    """Attributes for x without a border that is never larger than a pixel that its window has."""
    attributes, p = image_border(node, border), params(node)
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


def dsp_takes(node: NodeView) -> bool:
    """Enough channels to fill a word."""
    return node["x"].shape[3] >= 4


def rows(node: NodeView) -> Rows:
    """y row by row; outside of the image are rows that are never larger than a pixel."""
    p = params(node)
    columns = columns_around(
        p.input_width, p.output_width, p.window_width, p.stride_width, p.padding_left
    )
    value = i8.limits[0]
    return window_rows(node, p.window_height, p.stride_height, p.padding_top, value, columns)


OP = Op(
    name="max_pool_2d",
    legalize=(Rename("tflite.MAX_POOL_2D", versions=range(1, 4), attributes=POOL_OPTIONS),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    attributes=(*POOL_ATTRIBUTES, Attribute("border", ListOf(int), default=())),
    domains={"T": (i8,)},
    traits={"fuses_activation"},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    takes_border=takes_border,
    rows=rows,
    value_range=pooled_range,
    live_channels=pool_channels,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 7, 6, 4), scale=0.1, zero_point=4),
                "y": ExampleTensor(i8, (1, 7, 6, 4), scale=0.1, zero_point=4),
            },
            {
                "padding": "SAME",
                "window_height": 2,
                "window_width": 2,
                "stride_height": 1,
                "stride_width": 1,
            },
        ),
    ),
    kernels=(
        Kernel(
            "mve.h",
            requires={"mve"},
            cost=instructions(pool_elements, 0.33, 1.6),
            overlap=pool_overlap,
        ),
        Kernel(
            "dsp.h",
            requires={"dsp"},
            cost=instructions(pool_elements, 1.9, 5.1),
            when=dsp_takes,
            overlap=pool_overlap,
        ),
        Kernel(
            "reference.h",
            overlap=pool_overlap,
            cost=instructions(pool_elements, 4.9, 54.0),
        ),
    ),
)

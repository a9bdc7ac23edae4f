"""AveragePool2D: the mean of each window of an NHWC image, with a fused activation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from toolchain.op.cost import instructions
from toolchain.op.legacy import (
    Array,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    i8,
)
from toolchain.op.rows import Rows

LANE_PIXELS = 256  # int8 that a halfword can sum up
RECIPROCAL_PIXELS = 180  # up to which a product with the reciprocal rounds right: see core/lanes.h


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
    """The means in numpy: what lies outside the image does not count."""
    p = params(node)
    sums = np.zeros(node["y"].shape, np.int64)
    counts = np.zeros((p.batches, p.output_height, p.output_width, 1), np.int64)
    for outputs, pixels in pool_taps(p, inputs[0]):
        sums[outputs] += pixels
        counts[outputs] += 1
    magnitudes = (np.abs(sums) + counts // 2) // counts
    means = np.sign(sums) * magnitudes
    return [np.clip(means, p.activation_min, p.activation_max).astype(np.int8)]


def lanes_take(node: NodeView) -> bool:
    """Windows whose sums fit halfwords, and enough channels to fill a word."""
    p = params(node)
    return p.window_height * p.window_width <= LANE_PIXELS and p.channels >= 4


def mve_takes(node: NodeView) -> bool:
    """Windows of so few pixels that a product of 32 bits gives every mean."""
    p = params(node)
    return p.window_height * p.window_width <= RECIPROCAL_PIXELS


def rows(node: NodeView) -> Rows:
    """y row by row where no window leaves the image: what lies outside is not counted.

    A stride of the window's height leaves no room for padding above and below a row. Where windows
    do not overlap and their sums take fewer bytes than their rows, these come one by one.
    """
    p, a = params(node), node.attributes
    sums, kept = 4 * p.output_width, (p.window_height - 1) * p.input_width  # of each channel
    apart = p.stride_height == p.window_height or p.output_height == 1
    names = ("padding", "window_height", "window_width", "stride_width", "activation", "clamp")
    return Rows(
        p.window_height,
        p.stride_height,
        p.padding_top,
        attributes={"stride_height": p.window_height},
        one_by_one={name: a[name] for name in names} if apart and sums < kept else None,
    )


OP = Op(
    name="average_pool_2d",
    legalize=(Rename("tflite.AVERAGE_POOL_2D", versions=range(1, 4), attributes=POOL_OPTIONS),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    attributes=POOL_ATTRIBUTES,
    domains={"T": (i8,)},
    traits={"fuses_activation"},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    rows=rows,
    one_by_one="average_rows",
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
            cost=instructions(pool_elements, 0.48, 4.2),
            when=mve_takes,
            overlap=pool_overlap,
        ),
        Kernel(
            "dsp.h",
            requires={"dsp"},
            cost=instructions(pool_elements, 1.5, 16.5),
            when=lanes_take,
            overlap=pool_overlap,
        ),
        Kernel(
            "lanes.h",
            cost=instructions(pool_elements, 2.5, 20.8),
            when=lanes_take,
            overlap=pool_overlap,
        ),
        Kernel(
            "reference.h",
            overlap=pool_overlap,
            cost=instructions(pool_elements, 4.9, 57.0),
        ),
    ),
)

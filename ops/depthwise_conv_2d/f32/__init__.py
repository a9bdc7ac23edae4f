"""DepthwiseConv2D of float32, bit-exact with LiteRT's reference kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtimes.families.convolution import pixel_overlap
from runtimes.families.depthwise import multiplier
from runtimes.families.real_convolution import (
    Params,
    Tables,
    bias_problems,
    finished,
    pixels_under,
    real_params,
    real_tables,
    real_weights,
)
from toolchain.op import Array, Example, ExampleTensor, Kernel, NodeView, Variant, every_node, f32


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy: one tap of the filter at a time, over all pixels."""
    weights, total = node["filter"].data, np.zeros(node["y"].shape, np.float32)
    x = np.repeat(inputs[0], multiplier(node), axis=3)
    with np.errstate(over="ignore", invalid="ignore"):
        for fy, fx, pixels, inside in pixels_under(node, x):
            total = np.where(inside, total + pixels * weights[0, fy, fx], total)
    return [finished(node, total)]


F32 = Variant(
    types={"T": f32, "F": f32, "B": f32},
    folder="f32",
    check=bias_problems,
    evaluate=evaluate,
    hooks=real_weights(axis=3),
    kernels=(
        Kernel("reference", Params, every_node(real_params, real_tables, pixel_overlap), Tables),
    ),
    examples=(
        Example(
            {
                "x": ExampleTensor(f32, (1, 7, 6, 4)),
                "filter": ExampleTensor(f32, (1, 3, 3, 4), data=np.arange(36) / 100),
                "bias": ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
                "y": ExampleTensor(f32, (1, 7, 6, 4)),
            },
            {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        ),
    ),
)

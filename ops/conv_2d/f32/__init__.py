"""Conv2D of float32, bit-exact with LiteRT's reference kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtimes.families.convolution import groups, pixel_overlap
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
    """The convolution in numpy: one weight at a time, over all pixels and filters."""
    weights, total = node["filter"].data, np.zeros(node["y"].shape, np.float32)
    outputs, _, _, channels = weights.shape
    # the first input channel of each output channel
    first = np.arange(outputs) // (outputs // groups(node)) * channels
    with np.errstate(over="ignore", invalid="ignore"):
        for fy, fx, pixels, inside in pixels_under(node, inputs[0]):
            for c in range(channels):
                more = total + pixels[..., first + c] * weights[:, fy, fx, c]
                total = np.where(inside, more, total)
    return [finished(node, total)]


F32 = Variant(
    types={"T": f32, "F": f32, "B": f32},
    folder="f32",
    check=bias_problems,
    evaluate=evaluate,
    hooks=real_weights(axis=0),
    kernels=(
        Kernel("reference", Params, every_node(real_params, real_tables, pixel_overlap), Tables),
    ),
    examples=(
        Example(
            {
                "x": ExampleTensor(f32, (1, 5, 6, 3)),
                "filter": ExampleTensor(f32, (4, 3, 3, 3), data=np.arange(108) / 100),
                "bias": ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
                "y": ExampleTensor(f32, (1, 3, 4, 4)),
            },
            {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        ),
    ),
)

"""DepthwiseConv2D of int16 with int8 filters and an int64 bias.

Everything is symmetric: zero points are 0. Sums have 64 bits, as the bias has, and are requantised
by a multiplier of 16 bits and one rounding, as LiteRT does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from runtimes.core.narrow_requantization import narrow_problems, narrowed, wide_bias
from runtimes.families.depthwise import channel_products, channel_rows
from toolchain.op import Array, Example, ExampleTensor, NodeView, Variant, i8, i16, i64

from .dsp import DSP
from .dsp_general import DSP_GENERAL
from .mve import MVE
from .reference import REFERENCE


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from narrow_problems(node, channel_rows(node), axis=3)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy."""
    return [narrowed(node, channel_products(node, inputs[0]) + wide_bias(node))]


I16X8 = Variant(
    types={"T": i16, "F": i8, "B": i64},
    folder="i16x8",
    check=check,
    evaluate=evaluate,
    kernels=(MVE, DSP, DSP_GENERAL, REFERENCE),
    examples=(
        Example(
            {
                "x": ExampleTensor(i16, (1, 7, 6, 4), scale=0.001),
                "filter": ExampleTensor(i8, (1, 3, 3, 4), scale=0.01, axis=3, data=np.arange(36)),
                "bias": ExampleTensor(i64, (4,), data=np.array([2000, -860, 1495, 1651])),
                "y": ExampleTensor(i16, (1, 7, 6, 4), scale=0.002),
            },
            {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        ),
    ),
)

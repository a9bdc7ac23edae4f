"""Conv2D of int16 with int8 filters and an int64 bias.

Everything is symmetric: zero points are 0. Sums have 64 bits and are requantised by a multiplier
of 16 bits and one rounding, as LiteRT does. A bias of int32 is refused: LiteRT takes one, but its
results follow none of its formulas that were tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from runtimes.core.narrow_requantization import narrow_problems, narrowed
from runtimes.families.convolution import products
from toolchain.op import Array, Example, ExampleTensor, NodeView, Variant, i8, i16, i64

from .dsp import DSP
from .mve import MVE
from .params import filter_rows
from .reference import REFERENCE


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from narrow_problems(node, filter_rows(node), axis=0)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy."""
    return [narrowed(node, products(node, inputs[0]) + node["bias"].data)]


I16X8 = Variant(
    types={"T": i16, "F": i8, "B": i64},
    folder="i16x8",
    check=check,
    evaluate=evaluate,
    kernels=(MVE, DSP, REFERENCE),
    examples=(
        Example(
            {
                "x": ExampleTensor(i16, (1, 5, 6, 3), scale=0.001),
                "filter": ExampleTensor(i8, (4, 3, 3, 3), scale=0.01, data=np.arange(108)),
                "bias": ExampleTensor(i64, (4,), data=np.array([500, -1000, 2000, 0])),
                "y": ExampleTensor(i16, (1, 3, 4, 4), scale=0.002),
            },
            {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        ),
    ),
)

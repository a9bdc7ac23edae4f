"""FullyConnected of int16 by int8 weights, with an int64 bias.

Everything is symmetric: zero points are 0. Sums have 64 bits and are requantised in double
precision, round(double(sum) * scale), as LiteRT's reference kernel does. A bias of int32 is
refused: LiteRT takes one, but its results follow none of its formulas that were tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.narrow_requantization import LOWEST
from runtimes.core.per_channel import bias_of
from runtimes.core.per_tensor import zero_problems
from runtimes.families.layer import weights_zero_point
from runtimes.families.layer_variants import int16_variant
from runtimes.families.matmul import MATMUL, operand_problems, row_overlap, scales
from toolchain.op import Example, ExampleTensor, NodeView, i8, i16, i64

from .dsp import DSP
from .mve import MVE
from .params import Params


@dataclass(frozen=True)
class Tables:
    """Constants, the weights as the model has them."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int64]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from (problems := list(operand_problems(node)))
    if problems:
        return
    if weights_zero_point(node["weights"]):
        yield "weights must have zero points 0"
    yield from zero_problems(node, "x", "y")
    yield from _overflow_problems(node)


def _overflow_problems(node: NodeView) -> Iterator[str]:
    """As Python's whole numbers, which do not overflow."""
    weights, bias = node["weights"].data.astype(np.int64), bias_of(node)
    most = [LOWEST * int(w) + abs(int(b)) for w, b in zip(abs(weights).sum(1), bias, strict=True)]
    ratios = np.broadcast_to(scales(node), len(most))
    if max(most) >= 2**63:
        yield "a sum may overflow 64 bits"
    elif any(m * float(ratio) >= 2**31 - 1 for m, ratio in zip(most, ratios, strict=True)):
        yield "a scaled sum may overflow 32 bits"


REFERENCE = MATMUL.reference(Params, Tables, row_overlap, (8.0, 170.0))
I16X8 = int16_variant(
    MATMUL,
    check,
    (MVE, DSP, REFERENCE),
    Example(
        {
            "x": ExampleTensor(i16, (1, 12), scale=0.001),
            "weights": ExampleTensor(i8, (5, 12), scale=0.0113, data=np.arange(60) % 100),
            "bias": ExampleTensor(i64, (5,), data=np.array([2000, 1018, 1794, 1918, 488])),
            "y": ExampleTensor(i16, (1, 5), scale=0.002),
        }
    ),
)

"""FullyConnected of int16 by int8 weights, with an int64 bias.

Everything is symmetric: zero points are 0. Sums have 64 bits and are requantised in double
precision, round(double(sum) * scale), as LiteRT's reference kernel does. A bias of int32 is
refused: LiteRT takes one, but its results follow none of its formulas that were tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from runtimes.core.narrow_requantization import LOWEST, wide_bias
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.matmul import half_away, operand_problems, scales
from toolchain.op import Array, Example, ExampleTensor, NodeView, Variant, i8, i16, i64
from toolchain.op.clamp import clamp_range

from .dsp import DSP
from .mve import MVE
from .reference import REFERENCE


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from (problems := [*per_tensor_problems(node, "x", "y"), *operand_problems(node)])
    if problems:
        return
    quantization = node["weights"].quantization
    if quantization is not None and any(quantization.zero_points):
        yield "weights must have zero points 0"
    for name in ("x", "y"):
        if node[name].zero_point:
            yield f"{name} must have zero point 0"
    yield from _overflow_problems(node)


def _overflow_problems(node: NodeView) -> Iterator[str]:
    """As Python's whole numbers, which do not overflow."""
    weights, bias = node["weights"].data.astype(np.int64), wide_bias(node)
    most = [LOWEST * int(w) + abs(int(b)) for w, b in zip(abs(weights).sum(1), bias, strict=True)]
    ratios = np.broadcast_to(scales(node), len(most))
    if max(most) >= 2**63:
        yield "a sum may overflow 64 bits"
    elif any(m * float(ratio) >= 2**31 - 1 for m, ratio in zip(most, ratios, strict=True)):
        yield "a scaled sum may overflow 32 bits"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The matrix product in numpy."""
    weights = node["weights"].data.astype(np.int64)
    sums = inputs[0].reshape(-1, weights.shape[1]).astype(np.int64) @ weights.T
    rounded = half_away((sums + wide_bias(node)).astype(np.float64) * scales(node))
    y = np.clip(rounded, *clamp_range(node))
    return [y.astype(np.int16).reshape(node["y"].shape)]


I16X8 = Variant(
    types={"T": i16, "W": i8, "B": i64},
    folder="i16x8",
    check=check,
    evaluate=evaluate,
    kernels=(MVE, DSP, REFERENCE),
    examples=(
        Example(
            {
                "x": ExampleTensor(i16, (1, 12), scale=0.001),
                "weights": ExampleTensor(i8, (5, 12), scale=0.0113, data=np.arange(60) % 100),
                "bias": ExampleTensor(i64, (5,), data=np.array([2000, 1018, 1794, 1918, 488])),
                "y": ExampleTensor(i16, (1, 5), scale=0.002),
            }
        ),
    ),
)

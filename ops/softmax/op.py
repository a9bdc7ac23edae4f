"""Softmax: exp(beta * x) along the last axis, scaled so that the sum is 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.exponential import ONE, exponential, reciprocal_of_one_plus
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.params import Rows, by_name, row_count
from runtimes.families.unary import same_shape
from toolchain.op import (
    Array,
    Attribute,
    Distance,
    Example,
    ExampleTensor,
    Kernel,
    NodeView,
    Rename,
    Variant,
    every_node,
    i8,
)
from toolchain.op.arithmetic import (
    doubling_high_mul,
    quantize_multiplier,
    rounding_divide_by_pot,
)
from toolchain.op.cost import instructions

DIFFERENCE_BITS = 5  # integer bits of a scaled difference, Q5.26
SUM_BITS = 12  # integer bits of the sum of exponentials, Q12.19
MAX_DEPTH = (1 << SUM_BITS) - 1  # more ones overflow the sum
OUTPUT_SCALE, OUTPUT_ZERO_POINT = 1 / 256, -128  # what TFLite demands of y
OUTPUT_BITS = 8


@dataclass(frozen=True)
class Tables:
    """Constants."""

    exponential: NDArray[np.int32]  # [256], Q0.31: of the largest element minus this one


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the last dimension, the quantisation and beta."""
    x = node["x"]
    if not x.shape:
        yield f"x {x.type} must have at least one dimension"
    elif x.shape[-1] > MAX_DEPTH:
        yield f"the last dimension of x {x.type} is larger than {MAX_DEPTH}"
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if problems:
        return
    y = node["y"]
    if y.zero_point != OUTPUT_ZERO_POINT or abs(y.scale / OUTPUT_SCALE - 1) > 0.001:
        yield f"y must have scale 1/256 and zero point {OUTPUT_ZERO_POINT}"
    if not difference_scale(node) > 1:  # also for a beta that is no number
        yield f"beta {node.attributes['beta']} times the scale of x is not above 2^-26"


def difference_scale(node: NodeView) -> float:
    """What turns a difference of elements into Q5.26."""
    return float(node.attributes["beta"] * node["x"].scale * (1 << (31 - DIFFERENCE_BITS)))


def tables(node: NodeView) -> Tables:
    """exp(-difference) for every difference of two elements; 0 where it is too far for Q5.26."""
    found = np.array([ONE, *[0] * 255], np.int32)
    scale = difference_scale(node)
    if scale < 1 << 30:
        multiplier, shift = quantize_multiplier(scale)
        farthest = math.floor(((1 << DIFFERENCE_BITS) - 1) * (1 << 26) / (1 << shift))
        differences = np.arange(min(farthest + 1, len(found)), dtype=np.int64)
        scaled = doubling_high_mul(-differences << shift, multiplier)
        found[: len(differences)] = exponential(scaled, DIFFERENCE_BITS)
    return Tables(found)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The softmax in numpy."""
    x = inputs[0].astype(np.int64)
    exponentials = tables(node).exponential.astype(np.int64)[x.max(axis=-1, keepdims=True) - x]
    sums = rounding_divide_by_pot(exponentials, SUM_BITS).sum(axis=-1, keepdims=True)
    zeros = 32 - np.frexp(sums.astype(np.float64))[1].astype(np.int64)  # leading ones, of 32 bits
    scale = reciprocal_of_one_plus((sums << zeros) - (1 << 31))
    exponent = SUM_BITS - zeros + 31 - OUTPUT_BITS
    shares = rounding_divide_by_pot(doubling_high_mul(exponentials, scale), exponent)
    return [np.clip(shares + OUTPUT_ZERO_POINT, *i8.limits).astype(np.int8)]


def overlap(node: NodeView) -> dict[str, Distance]:
    """Row by row, and in its last pass element by element: y may lie on x."""
    return {"x": Distance(forward=0)}


PLAN = every_node(by_name(Rows), tables, overlap)
KERNELS = (
    Kernel("mve", Rows, PLAN, Tables, requires={"mve"}, cost=instructions(row_count, 190.0, 4.0)),
    Kernel("reference", Rows, PLAN, Tables, cost=instructions(row_count, 150.0, 56.0)),
)
OP = same_shape(
    "softmax",
    Rename("tflite.SOFTMAX", versions=range(1, 4)),
    variants=(Variant({"T": i8}, KERNELS),),
    attributes=(Attribute("beta", float),),
    check=check,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 12), scale=0.1, zero_point=4),
                "y": ExampleTensor(i8, (1, 12), scale=0.00390625, zero_point=-128),
            },
            {"beta": 1.0},
        ),
    ),
)

"""Softmax: exp(beta * x) along the last axis, scaled so that the sum is 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from runtimes.core.exponential import reciprocal_of_one_plus
from runtimes.core.per_tensor import per_tensor_problems
from toolchain.op import (
    Array,
    Attribute,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    OpError,
    Output,
    Rename,
    TensorType,
    Variant,
    every_node,
    i8,
)
from toolchain.op.arithmetic import doubling_high_mul, rounding_divide_by_pot
from toolchain.op.cost import instructions

from .exponentials import Rows, Tables, difference_scale, overlap, rows, tables

SUM_BITS = 12  # integer bits of the sum of exponentials, Q12.19
MAX_DEPTH = (1 << SUM_BITS) - 1  # more ones overflow the sum
OUTPUT_SCALE, OUTPUT_ZERO_POINT = 1 / 256, -128  # what TFLite demands of y
OUTPUT_BITS = 8


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: like x."""
    x = node["x"]
    if not x.shape:
        raise OpError(f"x {x.type} must have at least one dimension")
    if x.shape[-1] > MAX_DEPTH:
        raise OpError(f"the last dimension of x {x.type} is larger than {MAX_DEPTH}")
    return [x.type]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation and of beta."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if problems:
        return
    y = node["y"]
    if y.zero_point != OUTPUT_ZERO_POINT or abs(y.scale / OUTPUT_SCALE - 1) > 0.001:
        yield f"y must have scale 1/256 and zero point {OUTPUT_ZERO_POINT}"
    if not difference_scale(node) > 1:  # also for a beta that is no number
        yield f"beta {node.attributes['beta']} times the scale of x is not above 2^-26"


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


def count(node: NodeView) -> int:
    """What costs go by, besides elements: rows."""
    return rows(node).rows


PLAN = every_node(rows, tables, overlap)
KERNELS = (
    Kernel("mve", Rows, PLAN, Tables, requires={"mve"}, cost=instructions(count, 190.0, 4.0)),
    Kernel("reference", Rows, PLAN, Tables, cost=instructions(count, 150.0, 56.0)),
)
OP = Op(
    "softmax",
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    infer=infer,
    variants=(Variant({"T": i8}, KERNELS),),
    legalize=(Rename("tflite.SOFTMAX", versions=range(1, 4)),),
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

"""Softmax: exp(beta * x) along the last axis, scaled so that the sum is 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.exponential import exponential, reciprocal_of_one_plus
from runtimes.core.per_tensor import per_tensor_problems
from toolchain.op.arithmetic import doubling_high_mul, quantize_multiplier, rounding_divide_by_pot
from toolchain.op.cost import instructions
from toolchain.op.legacy import (
    Array,
    Attribute,
    Distance,
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
    i8,
)

DIFFERENCE_BITS = 5  # integer bits of a scaled difference from the largest element, Q5.26
SUM_BITS = 12  # integer bits of the sum of exponentials, Q12.19
MAX_DEPTH = (1 << SUM_BITS) - 1  # more ones overflow the sum
OUTPUT_SCALE, OUTPUT_ZERO_POINT = 1 / 256, -128  # what TFLite demands of y
OUTPUT_BITS = 8


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    rows: int
    depth: int  # elements of a row


def _rows(node: NodeView) -> int:
    return params(node).rows


@dataclass(frozen=True)
class Tables:
    """Constants."""

    exponential: NDArray[np.int32]  # [256], Q0.31: of the largest element minus this one


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
    if not _difference_scale(node) > 1:  # also for a beta that is no number
        yield f"beta {node.attributes['beta']} times the scale of x is not above 2^-26"


def _difference_scale(node: NodeView) -> float:
    """What turns a difference of elements into Q5.26."""
    return float(node.attributes["beta"] * node["x"].scale * (1 << (31 - DIFFERENCE_BITS)))


def params(node: NodeView) -> Params:
    """How many rows of how many elements."""
    x = node["x"]
    return Params(rows=x.elements // x.shape[-1], depth=x.shape[-1])


def tables(node: NodeView) -> Tables:
    """exp(-difference) for every difference of two elements; 0 where it is too far for Q5.26."""
    differences = np.arange(256, dtype=np.int64)
    found = np.zeros(256, np.int64)
    scale = _difference_scale(node)
    reached = 0  # the largest difference that Q5.26 holds
    scaled = differences[:1]
    if scale < 1 << 30:
        multiplier, shift = quantize_multiplier(scale)
        reached = _reached(shift)
        scaled = doubling_high_mul(-differences[: reached + 1] << shift, multiplier)
    found[: reached + 1] = exponential(scaled, DIFFERENCE_BITS)
    return Tables(found.astype(np.int32))


def _reached(shift: int) -> int:
    """The largest difference that Q5.26 holds."""
    return math.floor(((1 << DIFFERENCE_BITS) - 1) * (1 << 26) / (1 << shift))


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


OP = Op(
    name="softmax",
    legalize=(Rename("tflite.SOFTMAX", versions=range(1, 4)),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("beta", float),),
    domains={"T": (i8,)},
    infer=infer,
    check=check,
    params=params,
    tables=tables,
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
    kernels=(
        Kernel("mve.h", requires={"mve"}, overlap=overlap, cost=instructions(_rows, 190.0, 4.0)),
        Kernel("reference.h", overlap=overlap, cost=instructions(_rows, 150.0, 56.0)),
    ),
)

"""Div: the element-wise quotient of two tensors that broadcast, with a fused activation.

Integers are cut towards zero. By zero TFLite does not divide but fails; here that gives 0, and a
constant divisor of zero is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.op import (
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
    i32,
)
from toolchain.op.broadcast import Five, broadcast_shape, pair_params, rank_problem
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    size: Five  # of y
    a_stride: Five  # elements, 0 along an axis that repeats
    b_stride: Five
    activation_min: int
    activation_max: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: the broadcast of both shapes."""
    return [TensorType(node["a"].dtype, broadcast_shape(node["a"].shape, node["b"].shape))]


def check(node: NodeView) -> Iterator[str]:
    """How many axes a kernel walks, and divisors that are known to be zero."""
    if problem := rank_problem(node):
        yield problem
    if node["b"].constant is not None and not np.all(node["b"].data):
        yield "b is 0 in places"


def params(node: NodeView) -> Params:
    """Geometry and limits."""
    pairs = pair_params(node)
    limits = clamp_range(node)
    return Params(pairs.size, pairs.a_stride, pairs.b_stride, *limits)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The quotient in numpy; -2^31 / -1 saturates."""
    p = params(node)
    a, b = (each.astype(np.int64) for each in inputs)
    whole = np.abs(a) // np.where(b == 0, 1, np.abs(b))
    y = np.where(b == 0, 0, whole * np.sign(a) * np.sign(b))
    return [np.clip(y, p.activation_min, p.activation_max).astype(np.int32)]


OP = Op(
    name="div",
    legalize=(
        Rename(
            "tflite.DIV",
            versions=range(1, 3),
            attributes={"fused_activation_function": "activation"},
        ),
    ),
    inputs=(Input("a", "T"), Input("b", "T")),
    outputs=(Output("y", "T"),),
    attributes=CLAMP_ATTRIBUTES,
    domains={"T": (i32,)},
    traits={"elementwise", "fuses_activation"},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "a": ExampleTensor(i32, (12,)),
                "b": ExampleTensor(i32, (12,), data=np.arange(1, 13)),
                "y": ExampleTensor(i32, (12,)),
            }
        ),
    ),
    kernels=(Kernel("reference.h"),),
)

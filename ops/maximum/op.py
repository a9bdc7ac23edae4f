"""Maximum: the greater of two elements, of tensors that broadcast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    Range,
    Ranges,
    Rename,
    TensorType,
    f32,
    i8,
    i16,
    i32,
)
from toolchain.op.broadcast import broadcast_shape, pair_params, rank_problem
from toolchain.op.channels import channels_of
from toolchain.op.cost import per_element
from toolchain.op.lane_rows import lane_rows


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: the broadcast of both shapes."""
    return [TensorType(node["a"].dtype, broadcast_shape(node["a"].shape, node["b"].shape))]


def check(node: NodeView) -> Iterator[str]:
    """How many axes a kernel walks. Elements are compared as they are, as TFLite does."""
    if problem := rank_problem(node):
        yield problem


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The greater element in numpy; b where one of them is NaN."""
    a, b = inputs
    return [np.where(a > b, a, b)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """What the greater of the bounds of a and b are."""
    a, b = (ranges[node[name].id].spread(channels_of(node["y"])) for name in ("a", "b"))
    return [Range(np.maximum(a.low, b.low), np.maximum(a.high, b.high))]


def clamp(node: NodeView) -> tuple[int, int] | None:
    """The bounds, where b is one integer that is known."""
    b = node["b"]
    if b.constant is None or b.elements != 1 or not b.dtype.is_integer:
        return None
    return int(b.data.reshape(-1)[0]), b.dtype.limits[1]


OP = Op(
    name="maximum",
    legalize=(Rename("tflite.MAXIMUM", versions=range(1, 5)),),
    inputs=(Input("a", "T"), Input("b", "T")),
    outputs=(Output("y", "T"),),
    domains={"T": (i8, i16, i32, f32)},
    traits={"elementwise", "clamps"},
    infer=infer,
    check=check,
    params=pair_params,
    evaluate=evaluate,
    clamp=clamp,
    value_range=value_range,
    examples=(
        Example(
            {
                "a": ExampleTensor(f32, (64,)),
                "b": ExampleTensor(f32, (), data=np.array([-0.0])),
                "y": ExampleTensor(f32, (64,)),
            }
        ),
        Example(
            {
                "a": ExampleTensor(i8, (2, 150)),
                "b": ExampleTensor(i8, (2, 150)),
                "y": ExampleTensor(i8, (2, 150)),
            }
        ),
    ),
    kernels=(*lane_rows(), Kernel("reference.h", cost=per_element(8.0))),
)

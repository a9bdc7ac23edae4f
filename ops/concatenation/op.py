"""Concatenation: tensors one after the other along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import (
    Array,
    Attribute,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    Masks,
    NodeView,
    Op,
    OpError,
    Output,
    Range,
    Ranges,
    Rename,
    TensorType,
    boolean,
    f32,
    i8,
    i16,
    i32,
    i64,
    u32,
)
from toolchain.op.channels import channels_of, tied
from toolchain.op.rows import AXIS, Rows, elementwise_rows


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    rows: int  # positions before the axis
    count: int  # tensors


@dataclass(frozen=True)
class Tables:
    """How many elements of a row each tensor gives."""

    elements: NDArray[np.int32]


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as long along the axis as all tensors together."""
    first, *others = (tensor.shape for tensor in node.variadic("x"))
    axis = _axis(node)
    for other in others:
        if len(other) != len(first) or _without(other, axis) != _without(first, axis):
            raise OpError(f"shapes {first} and {other} differ outside axis {axis}")
    length = sum(tensor.shape[axis] for tensor in node.variadic("x"))
    return [TensorType(node["y"].dtype, (*first[:axis], length, *first[axis + 1 :]))]


def _axis(node: NodeView) -> int:
    axis: int = node.attributes["axis"]
    rank = len(node.variadic("x")[0].shape)
    if not -rank <= axis < rank:
        raise OpError(f"axis {axis} is not one of {rank}")
    return axis % rank


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def check(node: NodeView) -> Iterator[str]:
    """TFLite copies quantised elements as they are, so all must have one quantisation."""
    if node["y"].dtype not in (i8, i16):
        return
    for i, tensor in enumerate(node.variadic("x")):
        if tensor.quantization != node["y"].quantization:
            yield f"tensor {i} of x must be quantised as y is"


def params(node: NodeView) -> Params:
    """How often a row is put together."""
    return Params(math.prod(node["y"].shape[: _axis(node)]), len(node.variadic("x")))


def tables(node: NodeView) -> Tables:
    """What a row is put together of."""
    axis = _axis(node)
    rows = [math.prod(tensor.shape[axis:]) for tensor in node.variadic("x")]
    return Tables(np.array(rows, np.int32))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The tensors put together in numpy."""
    return [np.concatenate(inputs, _axis(node))]


def parts(node: NodeView) -> list[int] | None:
    """Where there is one row: each tensor lies behind those before it."""
    if params(node).rows != 1:
        return None
    sizes = [tensor.bytes for tensor in node.variadic("x")]
    return [sum(sizes[:i]) for i in range(len(sizes))]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The ranges side by side; along another axis what any of them allows."""
    parts = [ranges[tensor.id] for tensor in node.variadic("x")]
    low, high = ([getattr(part, end) for part in parts] for end in ("low", "high"))
    if _along_channels(node):
        return [Range(np.concatenate(low), np.concatenate(high))]
    return [Range(np.minimum.reduce(low), np.maximum.reduce(high))]


def _along_channels(node: NodeView) -> bool:
    return _axis(node) == len(node["y"].shape) - 1


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """A channel of y and the one of x that it is; along another axis all are the same."""
    tensors, y = node.variadic("x"), node["y"]
    if not _along_channels(node):
        return tied((*tensors, y), live)
    ends = np.cumsum([channels_of(tensor) for tensor in tensors])
    found = {tensor.id: live[tensor.id] for tensor in tensors}
    for tensor, part in zip(tensors, np.split(live[y.id], ends[:-1]), strict=True):
        found[tensor.id] = found[tensor.id] | part
    return {**found, y.id: np.concatenate([found[tensor.id] for tensor in tensors])}


def rows(node: NodeView) -> Rows | None:
    """Rows side by side; along their own axis nothing is put together row by row."""
    return None if _axis(node) <= AXIS else elementwise_rows(node)


def identity(node: NodeView) -> bool:
    """Where there is one tensor."""
    return len(node.variadic("x")) == 1


OP = Op(
    name="concatenation",
    legalize=(
        Rename(
            "tflite.CONCATENATION",
            versions=range(1, 8),
            attributes={"fused_activation_function": "activation"},
        ),
    ),
    inputs=(Input("x", "T", variadic=True),),
    outputs=(Output("y", "T"),),
    attributes=(
        Attribute("axis", int, default=0),
        Attribute("activation", str, default="NONE", choices=("NONE",)),
    ),
    domains={"T": (i8, i16, i32, i64, u32, boolean, f32)},
    infer=infer,
    check=check,
    params=params,
    tables=tables,
    evaluate=evaluate,
    parts=parts,
    identity=identity,
    rows=rows,
    value_range=value_range,
    live_channels=live_channels,
    examples=(
        Example(
            {
                "x": (ExampleTensor(i8, (2, 3), scale=0.5), ExampleTensor(i8, (2, 3), scale=0.5)),
                "y": ExampleTensor(i8, (2, 6), scale=0.5),
            },
            {"axis": 1},
        ),
    ),
    kernels=(
        Kernel(
            "reference.h",
            function="opsmith::concatenation::concatenate",
            arguments=("p", "in.x", "tables.elements", "out.y"),
        ),
    ),
)

"""Concatenation: tensors one after the other along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from runtimes.families.movement import axis_of, moved, moved_problems, put_together
from toolchain.op import (
    Array,
    Attribute,
    Channels,
    Example,
    ExampleTensor,
    Hooks,
    Input,
    Masks,
    NodeView,
    Op,
    OpError,
    Output,
    Range,
    Ranges,
    Rename,
    Streaming,
    TensorType,
    Views,
    boolean,
    f32,
    i8,
    i16,
    i32,
    i64,
    u8,
    u32,
)
from toolchain.op.channels import channels_of, tied
from toolchain.op.rows import AXIS, Rows, elementwise_rows


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: as long along the axis as all tensors together."""
    first, *others = (tensor.shape for tensor in node.variadic("x"))
    at = axis(node)
    for other in others:
        if len(other) != len(first) or _without(other, at) != _without(first, at):
            raise OpError(f"shapes {first} and {other} differ outside axis {at}")
    length = sum(tensor.shape[at] for tensor in node.variadic("x"))
    return [TensorType(node["y"].dtype, (*first[:at], length, *first[at + 1 :]))]


def axis(node: NodeView) -> int:
    """The axis that the tensors share, counted from the first."""
    return axis_of(node.attributes["axis"], len(node.variadic("x")[0].shape))


def _without(shape: tuple[int, ...], at: int) -> tuple[int, ...]:
    return shape[:at] + shape[at + 1 :]


def check(node: NodeView) -> Iterator[str]:
    """Elements are copied as they are."""
    for i, tensor in enumerate(node.variadic("x")):
        yield from moved_problems([tensor], node["y"], f"tensor {i} of x must be quantised as y is")


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The tensors put together in numpy."""
    return [np.concatenate(inputs, axis(node))]


def parts(node: NodeView) -> list[int] | None:
    """Where there is one row: each tensor lies after those before it."""
    if math.prod(node["y"].shape[: axis(node)]) != 1:
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
    return axis(node) == len(node["y"].shape) - 1


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
    return None if axis(node) <= AXIS else elementwise_rows(node)


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
    variants=moved(put_together(axis), i8, i16, i32, i64, u8, u32, boolean, f32),
    infer=infer,
    check=check,
    evaluate=evaluate,
    hooks=Hooks(
        channels=Channels(ranges=value_range, live=live_channels),
        streaming=Streaming(rows=rows),
        views=Views(parts=parts, identity=identity),
    ),
    examples=(
        Example(
            {
                "x": (ExampleTensor(i8, (2, 3), scale=0.5), ExampleTensor(i8, (2, 3), scale=0.5)),
                "y": ExampleTensor(i8, (2, 6), scale=0.5),
            },
            {"axis": 1},
        ),
    ),
)

"""Concatenation: tensors one after the other along an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opsmith.op import (
    Attribute,
    Axes,
    Channels,
    Hooks,
    Masks,
    NodeView,
    OpError,
    Range,
    Ranges,
    Rename,
    Streaming,
    Turned,
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
from opsmith.op.channels import channels_of, tied
from opsmith.op.rows import AXIS, Rows, elementwise_rows
from opsmith.runtimes.families.axes import resized, stated_axis
from opsmith.runtimes.families.movement import example
from opsmith.runtimes.families.side_by_side import put_together


def shape(node: NodeView) -> tuple[int, ...]:
    """As long along the axis as all tensors together."""
    first, *others = (tensor.shape for tensor in node.variadic("x"))
    at = stated_axis(node)
    for other in others:
        if len(other) != len(first) or resized(other, at) != resized(first, at):
            raise OpError(f"shapes {first} and {other} differ outside axis {at}")
    length = sum(tensor.shape[at] for tensor in node.variadic("x"))
    return resized(first, at, length)


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The ranges side by side; along another axis what any of them allows."""
    parts = [ranges[tensor.id] for tensor in node.variadic("x")]
    low, high = ([getattr(part, end) for part in parts] for end in ("low", "high"))
    if _along_channels(node):
        return [Range(np.concatenate(low), np.concatenate(high))]
    return [Range(np.minimum.reduce(low), np.maximum.reduce(high))]


def _along_channels(node: NodeView) -> bool:
    return stated_axis(node) == len(node["y"].shape) - 1


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
    return None if stated_axis(node) <= AXIS else elementwise_rows(node)


def turned(node: NodeView, axes: Axes) -> Turned:
    """Side by side along the same axis."""
    return Turned({"axis": axes[stated_axis(node)]})


def identity(node: NodeView) -> bool:
    """Where there is one tensor."""
    return len(node.variadic("x")) == 1


OP = put_together(
    "concatenation",
    Rename(
        "tflite.CONCATENATION",
        versions=range(1, 8),
        attributes={"fused_activation_function": "activation"},
    ),
    stated_axis,
    shape,
    example({"axis": 1}, x=[(2, 3)] * 2, y=(2, 6)),
    types=(i8, i16, i32, i64, u8, u32, boolean, f32),
    attributes=(
        Attribute("axis", int, default=0),
        Attribute("activation", str, default="NONE", choices=("NONE",)),
    ),
).with_hooks(
    Hooks(
        channels=Channels(ranges=value_range, live=live_channels),
        lines=turned,
        streaming=Streaming(rows=rows),
        views=Views(identity=identity),
    )
)

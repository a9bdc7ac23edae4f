"""Functions of the elements along axes: ops of x and axis that give one element of y for many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runtimes.families.axes import axis_of, merged, strides
from toolchain.op import (
    Attribute,
    Channels,
    Hooks,
    Input,
    Masks,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    Variant,
    i32,
)
from toolchain.op.channels import all_live, tied

NO_HOOKS = Hooks()
MAX_RUNS = 4  # of axes that are kept, and of axes that are reduced: rank 8 has no more
Four = tuple[int, int, int, int]


def reduction(
    name: str,
    source: Rename,
    variants: tuple[Variant, ...],
    attributes: tuple[Attribute, ...] = (),
    hooks: Hooks = NO_HOOKS,
    **others: Any,
) -> Op:
    """An op of x along constant axes; attributes and hooks are besides those of every reduction.

    `others` are further fields of Op, except inputs, outputs, infer and legalize.
    """
    return Op(
        name,
        inputs=(Input("x", "T"), Input("axis", i32, constant=True)),
        outputs=(Output("y", "T"),),
        infer=_infer,
        variants=variants,
        legalize=(source,),
        attributes=(Attribute("keep_dims", bool, default=False), *attributes),
        hooks=Hooks(channels=Channels(live=_live_channels)) | hooks,
        **others,
    )


def _infer(node: NodeView) -> Sequence[TensorType]:
    """y: x without the axes, or with 1 in their place."""
    x, axes = node["x"], reduced_axes(node)
    if node.attributes["keep_dims"]:
        sizes = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    else:
        sizes = [size for axis, size in enumerate(x.shape) if axis not in axes]
    return [TensorType(x.dtype, tuple(sizes))]


def reduced_axes(node: NodeView) -> frozenset[int]:
    """The axes to reduce, each once and counted from the front."""
    return frozenset(axis_of(axis, node["x"]) for axis in node["axis"].data.reshape(-1).tolist())


def reduced_elements(node: NodeView) -> int:
    """How many elements of x go into one of y."""
    return math.prod(node["x"].shape[axis] for axis in reduced_axes(node))


def keeps_channels(node: NodeView) -> bool:
    """Whether the last axis of x is not reduced."""
    return len(node["x"].shape) - 1 not in reduced_axes(node)


def _live_channels(node: NodeView, live: Masks, ranges: object) -> Masks:
    """Along other axes a channel is reduced by itself; along channels all of them are needed."""
    tensors = (node["x"], node["y"])
    return tied(tensors, live) if keeps_channels(node) else all_live(tensors)


@dataclass(frozen=True)
class Axes:
    """Sizes and strides of both kinds of axes. Neighbouring axes of one kind are taken as one."""

    kept: Four  # sizes of the axes that y has, padded with leading ones
    kept_stride: Four  # elements of x
    reduced: Four  # sizes of the axes that go
    reduced_stride: Four


def axes(node: NodeView) -> Axes:
    """The axes of a node."""
    return Axes(*_runs(node, reduced=False), *_runs(node, reduced=True))


def _runs(node: NodeView, *, reduced: bool) -> tuple[Four, Four]:
    """Sizes and strides of the axes that are all reduced, or all kept."""
    x, gone = node["x"].shape, reduced_axes(node)
    axes = enumerate(zip(x, strides(x), strict=True))
    found = merged(*(axis for i, axis in axes if (i in gone) == reduced))
    (a, b, c, d), (e, f, g, h) = zip(*[(1, 0)] * (MAX_RUNS - len(found)), *found, strict=True)
    return (a, b, c, d), (e, f, g, h)


def lane_problem(node: NodeView) -> str:
    """Why four neighbours of x are not of neighbouring elements of y, along one run of axes."""
    p = axes(node)
    if p.kept_stride[3] != 1:
        return "the last axis of x is reduced"
    if p.kept[3] < 4:
        return f"{p.kept[3]} neighbours are reduced side by side, fewer than 4"
    return "" if p.reduced[:3] == (1, 1, 1) else "the axes are not side by side"

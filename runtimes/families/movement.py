"""Ops that move elements without looking at them, of any element type: kernels and variants.

Kernels are those of movement.h, which see no element types. An op says how elements go: `COPIED`,
in the same order; `gathered(…)`, from regular distances; `taken_apart(…)` and `put_together(…)`,
for tensors that lie side by side along an axis of another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.families.broadcast import Five, pad_shape
from toolchain.ir import DType, Tensor
from toolchain.ir.types import ALL, i8, i16, i32, u8
from toolchain.op.declare import OpError
from toolchain.op.describe import Variant
from toolchain.op.kernel import Kernel, every_node
from toolchain.op.view import GraphBuilder, NodeView

HEADER = "runtimes/families/movement.h"
EVERY_TYPE = ALL
QUANTISED = (i8, i16, u8)
OfNode = Callable[[NodeView], int]
Tensors = Callable[[NodeView], Sequence[Tensor]]


def moved(kernel: Kernel, *types: DType) -> tuple[Variant, ...]:
    """A variant for each of these element types, of a kernel that sees none of them."""
    return tuple(Variant({"T": dtype}, (kernel,), untyped=True) for dtype in types)


def moved_problems(tensors: Sequence[Tensor], like: Tensor, sentence: str) -> Iterator[str]:
    """The sentence, where quantised elements would mean something else in another tensor."""
    if like.dtype in QUANTISED and any(t.quantization != like.quantization for t in tensors):
        yield sentence


@dataclass(frozen=True)
class CopyParams:
    """How much is copied."""

    bytes: int


COPIED = Kernel(
    "reference",
    CopyParams,
    every_node(lambda node: CopyParams(node["x"].bytes)),
    header=HEADER,
    function="opsmith::movement::copy",
    arguments=("p", "in.x", "out.y"),
)


@dataclass(frozen=True)
class GatherParams:
    """Where the elements of y are in x. Axes that are walked in one go are one."""

    first: int  # element of x that is the first of y
    size: Five  # of y, with leading ones
    step: Five  # elements of x from one of y to the next along each axis


@dataclass(frozen=True)
class Walk:
    """The elements of x that y has, in order: in elements, the last axis first."""

    first: int
    sizes: tuple[int, ...]
    steps: tuple[int, ...]


def merged_walk(first: int, axes: Sequence[tuple[int, int]]) -> Walk:
    """The walk along axes of (size, step), the last axis first, as few as there can be."""
    merged: list[tuple[int, int]] = []
    for size, step in axes:
        if merged and step == merged[-1][0] * merged[-1][1]:
            merged[-1] = (merged[-1][0] * size, merged[-1][1])
        elif size > 1:
            merged.append((size, step))
    return Walk(first, tuple(size for size, _ in merged), tuple(step for _, step in merged))


def part_of(walk: Walk, x: Tensor) -> int | None:
    """The byte of x where y starts, if y is some elements of x side by side."""
    one_run = not walk.sizes or (len(walk.sizes) == 1 and walk.steps[0] == 1)
    return walk.first * x.dtype.size if one_run else None


def gathered(walk: Callable[[NodeView], Walk]) -> Kernel:
    """The kernel of an op whose y takes a walk through x."""

    def params(node: NodeView) -> GatherParams:
        found = walk(node)
        return GatherParams(found.first, pad_shape(found.sizes[::-1]), pad_shape(found.steps[::-1]))

    return Kernel(
        "reference",
        GatherParams,
        every_node(params),
        header=HEADER,
        function="opsmith::movement::gather<T>",
        arguments=("p", "in.x", "out.y"),
    )


@dataclass(frozen=True)
class RowParams:
    """Rows, which are the positions before the axis, and how many tensors share each of them."""

    rows: int
    count: int


@dataclass(frozen=True)
class RowTables:
    """How much of a row each tensor has."""

    bytes: NDArray[np.int32]


def taken_apart(axis: OfNode) -> Kernel:
    """The kernel of an op that takes x apart along this axis."""
    kernel = "opsmith::movement::take_apart", ("p", "tables.bytes", "in.x", "out.y")
    return _side_by_side(lambda node: node["x"], axis, lambda node: node.variadic("y"), *kernel)


def put_together(axis: OfNode) -> Kernel:
    """The kernel of an op that puts y together along this axis."""
    kernel = "opsmith::movement::put_together", ("p", "tables.bytes", "in.x", "out.y")
    return _side_by_side(lambda node: node["y"], axis, lambda node: node.variadic("x"), *kernel)


def _side_by_side(
    whole: Callable[[NodeView], Tensor],
    axis: OfNode,
    parts: Tensors,
    function: str,
    arguments: tuple[str, ...],
) -> Kernel:
    def rows(node: NodeView) -> int:
        return math.prod(whole(node).shape[: axis(node)])

    def tables(node: NodeView) -> RowTables:
        return RowTables(np.array([part.bytes // rows(node) for part in parts(node)], np.int32))

    return Kernel(
        "reference",
        RowParams,
        every_node(lambda node: RowParams(rows(node), len(parts(node))), tables),
        RowTables,
        header=HEADER,
        function=function,
        arguments=arguments,
    )


def axis_of(axis: int, rank: int) -> int:
    """The axis, counted from the first. Raises OpError where there is no such axis."""
    if not -rank <= axis < rank:
        raise OpError(f"axis {axis} is not one of {rank}")
    return axis % rank


def given_axis(node: NodeView) -> int:
    """The axis of x that constant `axis` names, counted from the first."""
    axis = node["axis"]
    if axis.elements != 1:
        raise OpError(f"axis {axis.type} must be one number")
    return axis_of(int(axis.data.reshape(-1)[0]), len(node["x"].shape))


def slice_out(
    b: GraphBuilder, op: str, x: Tensor, axis: int, parts: Sequence[Tensor], **flags: int
) -> None:
    """Add a node of `op`, which takes x, begin, end and strides, for each part along an axis."""
    start, others = 0, math.prod(x.shape[:axis]) * math.prod(x.shape[axis + 1 :])
    for i, y in enumerate(parts):
        size = y.elements // others
        begin, end = [0] * len(x.shape), list(x.shape)
        begin[axis], end[axis] = start, start + size
        bounds = [
            b.tensor(f"{name}_{i}", i32, (len(values),), data=np.array(values))
            for name, values in (("begin", begin), ("end", end), ("strides", [1] * len(begin)))
        ]
        b.node(op, [x, *bounds], [y], **flags)
        start += size

"""Transpose: the axes of a tensor in another order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.op import (
    Array,
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
    Tensor,
    TensorType,
    boolean,
    f32,
    i8,
    i16,
    i32,
    i64,
    u8,
)
from toolchain.op.broadcast import MAX_RANK, Five, pad_shape
from toolchain.op.channels import all_live, channels_of, constant_of, tied


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time. Axes that stay side by side are one."""

    size: Five  # of y, with leading ones
    step: Five  # elements of x from one of y to the next along each axis


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: the sizes of x in the order of perm."""
    x = node["x"]
    return [TensorType(x.dtype, tuple(x.shape[axis] for axis in permutation(node)))]


def permutation(node: NodeView) -> tuple[int, ...]:
    """The axis of x that each of y is."""
    x, perm = node["x"], node["perm"]
    rank = len(x.shape)
    given = perm.data.reshape(-1).tolist()
    axes = tuple(axis + rank if axis < 0 else axis for axis in given)
    if len(perm.shape) != 1 or sorted(axes) != list(range(rank)):
        raise OpError(f"perm {given} is no order of the axes of x {x.type}")
    return axes


def permuted(node: NodeView, order: Sequence[int]) -> Mapping[str, Tensor]:
    """What perm becomes for another order."""
    return {"perm": constant_of(node["perm"], np.array(order), i32)}


def check(node: NodeView) -> Iterator[str]:
    """Elements are moved as they are, so y must mean the same by them."""
    x, y = node["x"], node["y"]
    if x.dtype in (i8, i16, u8) and x.quantization != y.quantization:
        yield "y must be quantised as x is"
    if len(_axes(node)) > MAX_RANK:
        yield f"x {x.type} has more than {MAX_RANK} dimensions that do not stay side by side"


def _axes(node: NodeView) -> list[tuple[int, int]]:
    """(size, step) of each axis of y that has several elements, as few as there can be."""
    shape = node["x"].shape
    steps = np.cumprod((1, *reversed(shape)))[::-1][1:].tolist()
    merged: list[tuple[int, int]] = []
    for axis in permutation(node):
        size, step = shape[axis], steps[axis]
        if merged and merged[-1][1] == size * step:
            merged[-1] = (merged[-1][0] * size, step)
        elif size > 1:
            merged.append((size, step))
    return merged


def params(node: NodeView) -> Params:
    """The geometry, in as few axes as there can be."""
    axes = _axes(node)
    return Params(pad_shape(tuple(n for n, _ in axes)), pad_shape(tuple(p for _, p in axes)))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The transposition in numpy."""
    return [np.ascontiguousarray(inputs[0].transpose(permutation(node)))]


def part(node: NodeView) -> int | None:
    """Where all axes of several elements keep their order, the elements do, too."""
    return 0 if len(_axes(node)) <= 1 and params(node).step[-1] == 1 else None


def identity(node: NodeView) -> bool:
    """Where every axis stays."""
    return list(permutation(node)) == sorted(permutation(node))


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """As x where channels stay channels; else what any of its channels allows."""
    x = ranges[node["x"].id]
    if not _keeps_channels(node):
        x = Range(x.low.min(keepdims=True), x.high.max(keepdims=True))
    return [x.spread(channels_of(node["y"]))]


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Channels come and go together where they stay channels."""
    x, y = node["x"], node["y"]
    return tied((x, y), live) if _keeps_channels(node) else all_live((x, y))


def _keeps_channels(node: NodeView) -> bool:
    order = permutation(node)
    return not order or order[-1] == len(order) - 1


OP = Op(
    name="transpose",
    legalize=(Rename("tflite.TRANSPOSE", versions=range(1, 7)),),
    inputs=(Input("x", "T"), Input("perm", i32, constant=True)),
    outputs=(Output("y", "T"),),
    domains={"T": (i8, i16, i32, i64, u8, boolean, f32)},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    part=part,
    identity=identity,
    permutation=permutation,
    permuted=permuted,
    value_range=value_range,
    live_channels=live_channels,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (4, 5, 3), scale=0.5),
                "perm": ExampleTensor(i32, (3,), data=np.array([2, 0, 1])),
                "y": ExampleTensor(i8, (3, 4, 5), scale=0.5),
            }
        ),
    ),
    kernels=(
        Kernel(
            "reference.h",
            function="opsmith::transpose::transpose",
            arguments=("p", "in.x", "out.y"),
        ),
    ),
)

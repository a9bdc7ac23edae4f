"""Transpose: the axes of a tensor in another order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runtimes.families.broadcast import MAX_RANK
from runtimes.families.movement import (
    EVERY_TYPE,
    Walk,
    gathered,
    merged_walk,
    moved,
    moved_problems,
    part_of,
)
from toolchain.op import (
    Array,
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
    Permutations,
    Range,
    Ranges,
    Rename,
    Tensor,
    TensorType,
    Views,
    i8,
    i32,
)
from toolchain.op.channels import all_live, channels_of, constant_of, tied


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
    """Elements are moved as they are, along no more axes than the kernel walks."""
    x = node["x"]
    yield from moved_problems([node["y"]], x, "y must be quantised as x is")
    if len(walk(node).sizes) > MAX_RANK:
        yield f"x {x.type} has more than {MAX_RANK} dimensions that do not stay side by side"


def walk(node: NodeView) -> Walk:
    """Through x along the axes of y."""
    shape = node["x"].shape
    steps = np.cumprod((1, *reversed(shape)))[::-1][1:].tolist()
    return merged_walk(0, [(shape[axis], steps[axis]) for axis in reversed(permutation(node))])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The transposition in numpy."""
    return [np.ascontiguousarray(inputs[0].transpose(permutation(node)))]


def part(node: NodeView) -> int | None:
    """Where all axes of several elements keep their order, the elements do, too."""
    return part_of(walk(node), node["x"])


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
    variants=moved(gathered(walk), *EVERY_TYPE),
    infer=infer,
    check=check,
    evaluate=evaluate,
    hooks=Hooks(
        channels=Channels(ranges=value_range, live=live_channels),
        permutations=Permutations(order=permutation, reorder=permuted),
        views=Views(part=part, identity=identity),
    ),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (4, 5, 3), scale=0.5),
                "perm": ExampleTensor(i32, (3,), data=np.array([2, 0, 1])),
                "y": ExampleTensor(i8, (3, 4, 5), scale=0.5),
            }
        ),
    ),
)

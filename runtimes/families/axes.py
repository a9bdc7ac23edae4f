"""Axes that a model names: counted from the first one or, where negative, back from the end."""

import math
from typing import Any

from opsmith.op import *


def axis_of(given: int, x: Tensor) -> int:
    """The axis of x, counted from the first. Raises OpError where x has no such axis."""
    rank = len(x.shape)
    if not -rank <= given < rank:
        raise OpError(f"x {x.type} has no axis {given}")
    return given % rank


def new_axis_of(given: int, x: Tensor) -> int:
    """The place of an axis that x gets. Raises OpError where it cannot get one there."""
    rank = len(x.shape) + 1
    if not -rank <= given < rank:
        raise OpError(f"x {x.type} cannot get an axis {given}")
    return given % rank


def one_axis(axis: Tensor) -> int:
    """The axis that a constant of one number names. Raises OpError where there are several."""
    if axis.elements != 1:
        raise OpError(f"axis {axis.type} must be one number")
    return int(axis.data.reshape(-1)[0])


def given_axis(node: NodeView) -> int:
    """The axis of x that input `axis`, a constant, names."""
    return axis_of(one_axis(node["axis"]), node["x"])


def stated_axis(node: NodeView) -> int:
    """The axis of x, or of the first tensor that it is, that attribute `axis` names."""
    x = node.tensors["x"]
    return axis_of(node.attributes["axis"], x[0] if isinstance(x, tuple) else node["x"])


def per_axis(node: NodeView, name: str) -> list[int]:
    """The constant's numbers. Raises OpError unless there is one per axis of x."""
    x, given = node["x"], node[name]
    if given.shape != (len(x.shape),):
        raise OpError(f"{name} {given.type} must have one number per axis of x {x.type}")
    numbers: list[int] = given.data.tolist()
    return numbers


def turned_constants(
    node: NodeView, axes: ImageAxes, **given: tuple[Sequence[Any], int]
) -> Mapping[str, Tensor]:
    """Constants with something for each axis of x, for other axes of an image: by the name of the
    input, what it has and what it has for axes that x lacks.
    """
    found = {}
    for name, (of_axes, missing) in given.items():
        moved = np.full((4, *np.shape(of_axes)[1:]), missing, np.int32)
        moved[list(axes)] = of_axes
        found[name] = constant_of(node[name], moved, i32)
    return found


def borders(node: NodeView) -> list[list[int]]:
    """Elements that `paddings` adds before and after each axis of x. Raises OpError where it
    has other rows, or x no axis.
    """
    rank, paddings = len(node["x"].shape), node["paddings"]
    if not rank or paddings.shape != (rank, 2):
        raise OpError(f"paddings {paddings.type} must be {rank}x2, a row per dimension")
    found: list[list[int]] = paddings.data.tolist()
    return found


def resized(shape: tuple[int, ...], axis: int, *sizes: int) -> tuple[int, ...]:
    """The shape with these sizes in place of that of an axis; with none, without the axis."""
    return (*shape[:axis], *sizes, *shape[axis + 1 :])


def strides(shape: tuple[int, ...]) -> list[int]:
    """Elements from one position to the next along each axis of a dense tensor."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def merged(*axes: Sequence[int]) -> list[tuple[int, ...]]:
    """Axes merged into as few as can be: each a size and some steps, the first axis first.

    Those that are walked in one go are one; those of size 1 are left out.
    """
    found: list[tuple[int, ...]] = []  # the last first
    for size, *steps in reversed(axes):
        if found and steps == [found[-1][0] * step for step in found[-1][1:]]:
            found[-1] = (found[-1][0] * size, *found[-1][1:])
        elif size > 1:
            found.append((size, *steps))
    return found[::-1]

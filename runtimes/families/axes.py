"""Axes that a model names: counted from the first axis or, where negative, back from the end."""

from opsmith.op import *


def axis_of(given: int, x: Tensor) -> int:
    """Number of an axis of x, counted from the first. Raises OpError where x has no such axis."""
    rank = len(x.shape)
    if not -rank <= given < rank:
        raise OpError(f"x {x.type} has no axis {given}")
    return given % rank


def new_axis_of(given: int, x: Tensor) -> int:
    """Place of an axis that is added to x. Raises OpError where x cannot get an axis there."""
    rank = len(x.shape) + 1
    if not -rank <= given < rank:
        raise OpError(f"x {x.type} cannot get an axis {given}")
    return given % rank


def one_axis(axis: Tensor) -> int:
    """Axis named by a constant of one number. Raises OpError where the constant has several."""
    if axis.elements != 1:
        raise OpError(f"axis {axis.type} must be one number")
    return int(axis.data.reshape(-1)[0])


def given_axis(node: NodeView) -> int:
    """Axis of x that the constant input `axis` names."""
    return axis_of(one_axis(node["axis"]), node["x"])


def stated_axis(node: NodeView) -> int:
    """Axis of x, or of its first tensor, that the attribute `axis` names."""
    x = node.tensors["x"]
    return axis_of(node.attributes["axis"], x[0] if isinstance(x, tuple) else node["x"])


def per_axis(node: NodeView, name: str) -> list[int]:
    """Numbers of a constant with one number per axis of x. Raises OpError for another count."""
    x, given = node["x"], node[name]
    if given.shape != (len(x.shape),):
        raise OpError(f"{name} {given.type} must have one number per axis of x {x.type}")
    numbers: list[int] = given.data.tolist()
    return numbers


def turned_constants(
    node: NodeView, axes: ImageAxes, **given: tuple[Sequence[Any], int]
) -> Mapping[str, Tensor]:
    """Constants with an entry per axis of x, rearranged for other axes of an image.

    `given` maps an input's name to its entries and to the entry for axes that x lacks.
    """
    found = {}
    for name, (of_axes, missing) in given.items():
        moved = np.full((4, *np.shape(of_axes)[1:]), missing, np.int32)
        moved[list(axes)] = of_axes
        found[name] = constant_of(node[name], moved, i32)
    return found


def borders(node: NodeView) -> list[list[int]]:
    """Elements that `paddings` adds before and after each axis of x. Raises OpError where
    `paddings` has another number of rows, or x is a scalar.
    """
    rank, paddings = len(node["x"].shape), node["paddings"]
    if not rank or paddings.shape != (rank, 2):
        raise OpError(f"paddings {paddings.type} must be {rank}x2, a row per dimension")
    found: list[list[int]] = paddings.data.tolist()
    return found


def resized(shape: tuple[int, ...], axis: int, *sizes: int) -> tuple[int, ...]:
    """Shape with `sizes` in place of the size of an axis; without sizes, the axis is dropped."""
    return (*shape[:axis], *sizes, *shape[axis + 1 :])


def strides(shape: tuple[int, ...]) -> list[int]:
    """Elements from one position to the next along each axis of a dense tensor."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def merged(*axes: Sequence[int]) -> list[tuple[int, ...]]:
    """Axes merged into as few as possible: a size and one or more steps each, the first axis first.

    Axes that are walked in one go become one; axes of size 1 are dropped.
    """
    found: list[tuple[int, ...]] = []  # the last first
    for size, *steps in reversed(axes):
        if found and steps == [found[-1][0] * step for step in found[-1][1:]]:
            found[-1] = (found[-1][0] * size, *found[-1][1:])
        elif size > 1:
            found.append((size, *steps))
    return found[::-1]

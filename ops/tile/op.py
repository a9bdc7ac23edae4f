"""Tile: a tensor repeated along each of its axes."""

from __future__ import annotations

from runtimes.families.axes import strides
from runtimes.families.movement import X, example, numbers
from runtimes.families.walk import MAX_AXES, Walk, walk_through
from toolchain.op import NodeView, OpError, Rename


def shape(node: NodeView) -> tuple[int, ...]:
    """As many times as large along each axis as `multiples` says."""
    return tuple(
        count * size for count, size in zip(_multiples(node), node["x"].shape, strict=True)
    )


def _multiples(node: NodeView) -> list[int]:
    x, multiples = node["x"], node["multiples"]
    if multiples.shape != (len(x.shape),):
        raise OpError(f"multiples {multiples.type} must have one number per axis of x {x.type}")
    counts: list[int] = multiples.data.tolist()
    if any(count < 0 for count in counts):
        raise OpError(f"multiples are {counts}, not at least 0")
    return counts


def walk(node: NodeView) -> Walk:
    """Each axis again and again, from its start."""
    sizes = node["x"].shape
    axes = zip(_multiples(node), sizes, strides(sizes), strict=True)
    return Walk(0, tuple(each for n, size, step in axes for each in ((n, 0), (size, step))))


OP = walk_through(
    "tile",
    Rename("tflite.TILE", versions=range(1, 4)),
    shape,
    walk,
    inputs=(X, numbers("multiples")),
    most=2 * MAX_AXES,
    example=example(x=(2, 3), multiples=[2, 3], y=(4, 9)),
)

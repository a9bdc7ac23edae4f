"""Images that are cut into blocks of pixels, or put together from them.

Where blocks become channels, an op is a walk through its image. Where they become images, one for
each position in a block, as many pixels as `block_shape` says, pixels may also come or go at both
ends of an axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from opsmith.op import (
    Attribute,
    Example,
    Masks,
    NodeView,
    Op,
    OpError,
    Ranges,
    Rename,
    f32,
    i8,
    i32,
    i64,
    u8,
)
from opsmith.op.channels import tied
from opsmith.runtimes.families.walk import Walk, walk_through

Pair = tuple[int, int]


def in_blocks(
    name: str, source: Rename, walk: Callable[[NodeView, int], Walk], example: Example
) -> Op:
    """An op whose y walks through x, an image, in blocks of such a height and width."""
    return walk_through(
        name,
        source,
        lambda node: walk(node, _block_size(node)),
        example,
        types=(i8, i32, i64, u8, f32),
        attributes=(Attribute("block_size", int),),
    )


def _block_size(node: NodeView) -> int:
    size: int = node.attributes["block_size"]
    if size < 1:
        raise OpError(f"block_size is {size}, not at least 1")
    return size


def image(node: NodeView) -> tuple[int, int, int, int]:
    """Batches, height, width and channels of x. Raises OpError where it is no image."""
    x = node["x"]
    if len(x.shape) != 4:
        raise OpError(f"x {x.type} must have 4 dimensions: batches, height, width, channels")
    batches, height, width, channels = x.shape
    return batches, height, width, channels


@dataclass(frozen=True)
class BlockParams:
    """The geometry. What has no width is one pixel wide."""

    batches: int  # of the side whose images are whole
    x_size: Pair  # height and width
    y_size: Pair
    block: Pair
    before: Pair  # pixels that come or go before the first one
    pixel: int  # bytes


def block_shape(node: NodeView) -> tuple[int, ...]:
    """The block's size along each axis of pixels. Raises OpError where there is no such block."""
    x, given = node["x"], node["block_shape"]
    axes = len(x.shape) - 2
    if axes not in (1, 2):
        raise OpError(f"x {x.type} must have 3 or 4 dimensions")
    if given.shape != (axes,) or (given.data < 1).any():
        sizes = given.data.tolist()
        raise OpError(f"block_shape {sizes} must have {axes} sizes of at least 1")
    return tuple(given.data.tolist())


def ends(node: NodeView, name: str) -> list[Pair]:
    """How many pixels come or go before and after each axis of pixels, as input `name` says."""
    given, axes = node[name], len(block_shape(node))
    if given.shape != (axes, 2) or (given.data < 0).any():
        pairs = given.data.tolist()
        raise OpError(f"{name} {pairs} must have {axes} pairs of numbers that are not negative")
    return [(int(before), int(after)) for before, after in given.data]


def geometry(node: NodeView, name: str) -> tuple[int, Pair, Pair, Pair, Pair, int]:
    """The fields of BlockParams, in order."""
    x, y = node["x"], node["y"]
    return (
        min(x.shape[0], y.shape[0]),
        _pair(x.shape[1:-1]),
        _pair(y.shape[1:-1]),
        _pair(block_shape(node)),
        _pair([before for before, _ in ends(node, name)], 0),
        x.shape[-1] * x.dtype.size,
    )


def _pair(values: Sequence[int], missing: int = 1) -> Pair:
    first, second = (*values, missing)[:2]
    return first, second


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Pixels move, with all of their channels."""
    return tied((node["x"], node["y"]), live)

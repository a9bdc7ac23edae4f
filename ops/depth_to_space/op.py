"""DepthToSpace: the channels of each pixel become a block of pixels."""

from __future__ import annotations

from runtimes.families.blocks import block_size, image
from runtimes.families.movement import example
from runtimes.families.walk import Walk, walk_through
from toolchain.op import Attribute, NodeView, OpError, Rename, f32, i8, i32, i64, u8


def shape(node: NodeView) -> tuple[int, ...]:
    """An image as many times as high and as wide as the block, with channels for the rest."""
    (batches, height, width, channels), block = image(node), block_size(node)
    if channels % block**2:
        raise OpError(f"x {node['x'].type} has {channels} channels, no multiple of {block}x{block}")
    return batches, height * block, width * block, channels // block**2


def walk(node: NodeView) -> Walk:
    """Row by row of y: of each row of x one row of all blocks."""
    (batches, height, width, channels), block = image(node), block_size(node)
    row, inner = width * channels, channels // block**2
    steps = (height * row, row, block * inner, channels, inner, 1)
    return Walk(0, tuple(zip((batches, height, block, width, block, inner), steps, strict=True)))


OP = walk_through(
    "depth_to_space",
    Rename("tflite.DEPTH_TO_SPACE", versions=range(1, 3)),
    shape,
    walk,
    types=(i8, i32, i64, u8, f32),
    example=example({"block_size": 2}, x=(1, 3, 2, 8), y=(1, 6, 4, 2)),
    attributes=(Attribute("block_size", int),),
)

"""DepthToSpace: the channels of each pixel become a block of pixels."""

from opsmith.op import *
from runtimes.families.blocks import image, in_blocks
from runtimes.families.walk import Walk


def walk(node: NodeView, block: int) -> Walk:
    """Walk that takes, for each row of x, one row of all blocks after the other."""
    batches, height, width, channels = image(node)
    if channels % block**2:
        raise OpError(f"x {node['x'].type} has {channels} channels, no multiple of {block}x{block}")
    row, inner = width * channels, channels // block**2
    rows, columns = [(height, row), (block, block * inner)], [(width, channels), (block, inner)]
    return Walk(0, ((batches, height * row), rows, columns, (inner, 1)))


SOURCE = Rename("tflite.DEPTH_TO_SPACE", versions=range(1, 3))
EXAMPLE = Example.of({"block_size": 2}, x=(1, 3, 2, 8), y=(1, 6, 4, 2))
OP = in_blocks("depth_to_space", SOURCE, walk, EXAMPLE)

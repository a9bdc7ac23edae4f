"""SpaceToDepth: each block of pixels becomes the channels of one pixel."""

from opsmith.op import *
from runtimes.families.blocks import image, in_blocks
from runtimes.families.walk import Walk


def walk(node: NodeView, block: int) -> Walk:
    """Walk block by block, and row by row within each."""
    batches, height, width, channels = image(node)
    if height % block or width % block:
        raise OpError(f"x {node['x'].type} does not divide into blocks of {block}x{block} pixels")
    row, pixels = width * channels, [(block, width * channels), (block, channels), (channels, 1)]
    down, right = (height // block, block * row), (width // block, block * channels)
    return Walk(0, ((batches, height * row), down, right, pixels))


SOURCE = Rename("tflite.SPACE_TO_DEPTH", versions=range(1, 3))
EXAMPLE = Example.of({"block_size": 2}, x=(1, 6, 4, 2), y=(1, 3, 2, 8))
OP = in_blocks("space_to_depth", SOURCE, walk, EXAMPLE)

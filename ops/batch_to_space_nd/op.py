"""BatchToSpaceND: images become the positions in blocks of one image, whose edges may be cut."""

from opsmith.op import *
from opsmith.runtimes.families.blocks import (
    BlockParams,
    block_shape,
    cut,
    ends,
    geometry,
    live_channels,
    turned,
)
from opsmith.runtimes.families.movement import EVERY_TYPE, moved_problems, movement


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of y: as many images as x has for each position in a block, each pixel a block, less
    the crops.
    """
    (batches, *sizes, channels), block = node["x"].shape, block_shape(node)
    count = int(np.prod(block))
    if batches % count:
        raise OpError(f"x has {batches} images, no multiple of the {count} pixels of a block")
    whole = [size * by for size, by in zip(sizes, block, strict=True)]
    left = [size - sum(crop) for size, crop in zip(whole, ends(node, "crops"), strict=True)]
    if min(left) < 1:
        raise OpError(f"crops {node['crops'].data.tolist()} leave nothing of {whole} pixels")
    return batches // count, *left, channels


def params(node: NodeView) -> BlockParams:
    """Params of a node."""
    return BlockParams(*geometry(node, "crops"))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Images of y in numpy: pixels of the positions in a block side by side."""
    (count, *sizes, channels), block = node["x"].shape, block_shape(node)
    axes, rank = len(block), 2 * len(block) + 2
    apart = inputs[0].reshape(*block, count // int(np.prod(block)), *sizes, channels)
    sides = [each for i in range(axes) for each in (axes + 1 + i, i)]
    whole = [size * by for size, by in zip(sizes, block, strict=True)]
    merged = apart.transpose(axes, *sides, rank - 1).reshape(-1, *whole, channels)
    kept = [slice(a, size - b) for size, (a, b) in zip(whole, ends(node, "crops"), strict=True)]
    return [np.ascontiguousarray(merged[:, *kept])]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y, whose elements are all of x."""
    return [ranges[node["x"].id]]


KERNEL = reference(params)
OP = movement(
    "batch_to_space_nd",
    Rename("tflite.BATCH_TO_SPACE_ND", versions=range(1, 5)),
    lambda node: [shape(node)],
    (KERNEL,),
    EVERY_TYPE,
    Example.of(x=(4, 3, 2, 2), block_shape=[2, 2], crops=[[0, 1], [1, 0]], y=(1, 5, 3, 2)),
    check=moved_problems,
    evaluate=evaluate,
    hooks=Hooks(
        blocks=Blocks(joins=cut("crops")),
        channels=Channels(ranges=value_range, live=live_channels),
        lines=turned("crops"),
    ),
)

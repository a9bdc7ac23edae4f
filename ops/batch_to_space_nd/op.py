"""BatchToSpaceND: images become the positions in blocks of one image, whose edges may be cut."""

from opsmith.op import *
from runtimes.families.blocks import KEPT, block_shape, cut, ends, images_of_blocks
from runtimes.families.movement import moved_problems


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


OP = images_of_blocks(
    "batch_to_space_nd",
    "BATCH_TO_SPACE_ND",
    "crops",
    shape,
    Example.of(x=(4, 3, 2, 2), block_shape=[2, 2], crops=[[0, 1], [1, 0]], y=(1, 5, 3, 2)),
    Hooks(blocks=Blocks(joins=cut("crops")), channels=KEPT),
    check=moved_problems,
    evaluate=evaluate,
)

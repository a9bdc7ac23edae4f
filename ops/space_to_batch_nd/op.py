"""SpaceToBatchND: the pixels at each position of all blocks become an image of their own."""

from opsmith.op import *
from runtimes.core.tflm import unlike_tflm
from runtimes.families.blocks import (
    BlockParams,
    block_shape,
    cut,
    ends,
    geometry,
    images_of_blocks,
    live_channels,
)
from runtimes.families.movement import moved_problems, zero_element


@dataclass(frozen=True)
class Params(BlockParams):
    """Sizes of images and blocks, and the value of the border."""

    border: int  # every byte of it


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of one output image per pixel of a block, with one pixel per block."""
    (batches, *sizes, channels), block = node["x"].shape, block_shape(node)
    padded = [size + sum(pair) for size, pair in zip(sizes, ends(node, "paddings"), strict=True)]
    if any(size % by for size, by in zip(padded, block, strict=True)):
        raise OpError(f"{padded} pixels, with their border, do not divide into blocks of {block}")
    down = (size // by for size, by in zip(padded, block, strict=True))
    return batches * int(np.prod(block)), *down, channels


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation with a border of zeros."""
    yield from moved_problems(node)
    zero = zero_element(node["x"])
    if node["x"].dtype == i16 and zero != 0:
        yield f"the zero point of int16 is {zero}, not 0"


def params(node: NodeView) -> Params:
    """Sizes, and the border's value; zeros of wider elements are bytes of 0."""
    return Params(**vars(geometry(node, "paddings")), border=zero_element(node["x"]))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Images of the positions in a block, in numpy."""
    block, borders = block_shape(node), [(0, 0), *ends(node, "paddings"), (0, 0)]
    padded = np.pad(inputs[0], borders, constant_values=zero_element(node["x"]))
    batches, *sizes, channels = padded.shape
    cut = [each for size, by in zip(sizes, block, strict=True) for each in (size // by, by)]
    within, blocks = range(2, 2 * len(block) + 1, 2), range(1, 2 * len(block), 2)
    by_position = padded.reshape(batches, *cut, channels).transpose(
        *within, 0, *blocks, len(cut) + 1
    )
    return [by_position.reshape(node["y"].shape)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: x's, and the border's value."""
    x, zero = ranges[node["x"].id], zero_element(node["x"])
    if not any(map(any, ends(node, "paddings"))):
        return [x]
    return [Range(np.minimum(x.low, zero), np.maximum(x.high, zero))]


def borders_differ(node: NodeView) -> bool:
    """True if TensorFlow Lite Micro's border, elements of 0, does not stand for zero."""
    return zero_element(node["x"]) != 0 and any(map(any, ends(node, "paddings")))


OP = images_of_blocks(
    "space_to_batch_nd",
    "SPACE_TO_BATCH_ND",
    "paddings",
    shape,
    Example.of(x=(1, 5, 3, 2), block_shape=[2, 2], paddings=[[0, 1], [1, 0]], y=(4, 3, 2, 2)),
    Hooks(blocks=Blocks(cuts=cut("paddings")), channels=Channels(value_range, live_channels)),
    params,
    check=check,
    evaluate=evaluate,
    numerics=unlike_tflm(borders_differ),
    traits={"from_nothing"},
)

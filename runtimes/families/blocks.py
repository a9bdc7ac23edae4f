"""Images that are cut into blocks of pixels, or assembled from blocks.

Where blocks become channels, an op is a walk through its image. Where blocks become images, one
image for each position within `block_shape`, pixels may also be added or dropped at both ends of an
axis.
"""

from opsmith.op import *
from runtimes.families.movement import EVERY_TYPE, movement
from runtimes.families.walk import Walk, walk_through

Pair = tuple[int, int]


def in_blocks(
    name: str, source: Rename, walk: Callable[[NodeView, int], Walk], example: Example
) -> Op:
    """Op whose y walks through an image x in square blocks of the attribute block_size."""
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
    """(batches, height, width, channels) of x. Raises OpError where x is no image."""
    x = node["x"]
    if len(x.shape) != 4:
        raise OpError(f"x {x.type} must have 4 dimensions: batches, height, width, channels")
    batches, height, width, channels = x.shape
    return batches, height, width, channels


@dataclass(frozen=True)
class BlockParams:
    """Sizes of images and of blocks; an axis of pixels that x lacks has size 1."""

    batches: int  # of the side whose images are whole
    x_size: Pair  # height and width
    y_size: Pair
    block: Pair
    before: Pair  # pixels that come or go before the first one
    pixel: int  # bytes


def block_shape(node: NodeView) -> tuple[int, ...]:
    """Size of the block along each axis of pixels. Raises OpError where there is no such block."""
    x, given = node["x"], node["block_shape"]
    axes = len(x.shape) - 2
    if axes not in (1, 2):
        raise OpError(f"x {x.type} must have 3 or 4 dimensions")
    if given.shape != (axes,) or (given.data < 1).any():
        sizes = given.data.tolist()
        raise OpError(f"block_shape {sizes} must have {axes} sizes of at least 1")
    return tuple(given.data.tolist())


def ends(node: NodeView, name: str) -> list[Pair]:
    """Pixels added or dropped before and after each axis of pixels, which input `name` says."""
    given, axes = node[name], len(block_shape(node))
    if given.shape != (axes, 2) or (given.data < 0).any():
        pairs = given.data.tolist()
        raise OpError(f"{name} {pairs} must have {axes} pairs of numbers that are not negative")
    return [(int(before), int(after)) for before, after in given.data]


def geometry(node: NodeView, name: str) -> BlockParams:
    """Sizes of a node; `name` is the input with the ends."""
    x, y = node["x"], node["y"]
    return BlockParams(
        batches=min(x.shape[0], y.shape[0]),
        x_size=_pair(x.shape[1:-1]),
        y_size=_pair(y.shape[1:-1]),
        block=_pair(block_shape(node)),
        before=_pair([before for before, _ in ends(node, name)], 0),
        pixel=x.shape[-1] * x.dtype.size,
    )


def images_of_blocks(
    name: str,
    source: str,
    end: str,
    shape: Callable[[NodeView], tuple[int, ...]],
    example: Example,
    hooks: Hooks,
    params: Callable[[NodeView], BlockParams] | None = None,
    **fields: Any,
) -> Op:
    """Op that cuts an image into one for each position in blocks, or reassembles it. `end` names
    the input with the pixels added or dropped at ends of axes; `fields` are further ones of
    `movement`.
    """

    def sizes(node: NodeView) -> BlockParams:
        return geometry(node, end)

    return movement(
        name,
        Rename(f"tflite.{source}", versions=range(1, 5)),
        lambda node: [shape(node)],
        (reference(params or sizes),),
        EVERY_TYPE,
        example,
        hooks=hooks | Hooks(lines=_turned(end)),
        **fields,
    )


def _pair(values: Sequence[int], missing: int = 1) -> Pair:
    first, second = (*values, missing)[:2]
    return first, second


def cut(name: str) -> Callable[[NodeView], Cut | None]:
    """Hook that finds nodes that cut or assemble images; `name` is the input with the ends."""

    def found(node: NodeView) -> Cut | None:
        if len(node["x"].shape) != 4:
            return None
        (above, below), (left, right) = ends(node, name)
        return Cut(_pair(block_shape(node)), (above, left), (below, right))

    return found


def _turned(name: str) -> Callable[[NodeView, ImageAxes], Turned | None]:
    """Hook that turns a node to other axes of its image. Positions keep their order in blocks of
    one row or column.
    """

    def found(node: NodeView, axes: ImageAxes) -> Turned | None:
        given = block_shape(node)
        block, pairs = np.ones(2, np.int32), np.zeros((2, 2), np.int32)
        places = [axis - 1 for axis in axes[1:-1]]
        block[places], pairs[places] = given, ends(node, name)
        made = {"block_shape": block, name: pairs}
        return (
            Turned(constants={key: constant_of(node[key], made[key], i32) for key in made})
            if min(given) == 1 or len(given) == 1
            else None
        )

    return found


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Channels of x and y that are needed together: pixels move with all their channels."""
    return tied((node["x"], node["y"]), live)


# of nodes whose y has no elements beyond those of x, and its channels
KEPT = Channels(ranges=lambda node, ranges: [ranges[node["x"].id]], live=live_channels)

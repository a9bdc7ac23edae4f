"""Ops whose y takes known positions of x along each axis: in any order, also repeated."""

from opsmith.op import *
from runtimes.families.axes import strides
from runtimes.families.movement import EVERY_TYPE, HEADER, movement
from runtimes.families.walk import MAX_AXES, Eight, padded

ARGUMENTS = ("p", "tables.offsets", "in.x", "out.y")
Positions = Sequence[NDArray[np.int64]]  # of x, along each of its axes


@dataclass(frozen=True)
class TakeParams:
    """Number of positions per axis, and bytes of a contiguous row."""

    size: Eight  # positions along each axis, with leading ones
    row: int  # bytes that stay side by side


@dataclass(frozen=True)
class TakeTables:
    """Table of byte offsets of the positions."""

    offsets: NDArray[np.int32]  # bytes from the start of each axis, axis after axis


def taken(
    name: str,
    source: Rename,
    positions: Callable[[NodeView], Positions],
    example: Example,
    types: tuple[DType, ...] = EVERY_TYPE,
    **fields: Any,
) -> Op:
    """Op whose y has these positions of x along each axis.

    `fields` are further ones of `movement`, except evaluate and hooks.
    """

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [inputs[0][np.ix_(*positions(node))]]

    def params(node: NodeView) -> TakeParams:
        axes, row = _axes(node["x"], positions(node))
        return TakeParams(padded([each.size for each in axes]), row)

    def tables(node: NodeView) -> TakeTables:
        axes, _ = _axes(node["x"], positions(node))
        leading = [np.zeros(1, np.int64)] * (MAX_AXES - len(axes))
        return TakeTables(np.concatenate([*leading, *axes]).astype(np.int32))

    def identity(node: NodeView) -> bool:
        return all(map(_whole, node["x"].shape, positions(node)))

    def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
        x, last = ranges[node["x"].id], positions(node)[-1]
        return [Range(x.low[last], x.high[last])]

    def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
        x, y = node["x"], node["y"]
        stay = _whole(x.shape[-1], positions(node)[-1])
        return tied((x, y), live) if stay else all_live((x, y))

    kernel = Kernel(
        "reference",
        TakeParams,
        every_node(params, tables),
        TakeTables,
        header=HEADER,
        function="opsmith::movement::take",
        arguments=ARGUMENTS,
    )
    return movement(
        name,
        source,
        lambda node: [tuple(each.size for each in positions(node))],
        (kernel,),
        types,
        example,
        evaluate=evaluate,
        kind=Kind("movement", "take"),
        hooks=Hooks(channels=Channels(value_range, live_channels), views=Views(identity=identity)),
        **fields,
    )


def _axes(x: Tensor, positions: Positions) -> tuple[list[NDArray[np.int64]], int]:
    """Byte offsets along each axis whose positions differ from x's, or that precedes such an axis,
    and the bytes of the contiguous rows after these.

    Neighbouring axes with the positions of x are not merged: the table would have the product of
    their sizes.
    """
    axes: list[NDArray[np.int64]] = []
    row = x.dtype.size
    side_by_side = True  # all later axes have x's positions
    steps = [step * x.dtype.size for step in strides(x.shape)]
    for size, step, taken_ in reversed(list(zip(x.shape, steps, positions, strict=True))):
        side_by_side &= _whole(size, taken_)
        if side_by_side:
            row *= size
        elif taken_.size > 1 or taken_[0] > 0:
            axes.insert(0, taken_ * step)
    return axes, row


def _whole(size: int, positions: NDArray[np.int64]) -> bool:
    """True if the positions are all of an axis of this size, in order."""
    return np.array_equal(positions, np.arange(size))

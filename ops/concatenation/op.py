"""Concatenation: tensors one after the other along an axis.

Tensors of uint8 may be quantised otherwise than y, and are then rescaled first. LiteRT refuses such
tensors of int8; it misreads those of int16, which are refused here.
"""

from opsmith.op import *
from opsmith.op.rows import AXIS, RowWindow, elementwise_rows
from runtimes.families.axes import resized, stated_axis
from runtimes.families.movement import moved_problems
from runtimes.families.rescaled_bytes import rescaled_bytes, rescaling_problems
from runtimes.families.side_by_side import put_together


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of y: that of each tensor, with the sum of sizes along the axis."""
    first, *others = (tensor.shape for tensor in node.variadic("x"))
    at = stated_axis(node)
    for other in others:
        if len(other) != len(first) or resized(other, at) != resized(first, at):
            raise OpError(f"shapes {first} and {other} differ outside axis {at}")
    length = sum(tensor.shape[at] for tensor in node.variadic("x"))
    return resized(first, at, length)


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: the tensors' ranges side by side, or their union along another axis."""
    parts = [ranges[tensor.id] for tensor in node.variadic("x")]
    low, high = ([getattr(part, end) for part in parts] for end in ("low", "high"))
    if _along_channels(node):
        return [Range(np.concatenate(low), np.concatenate(high))]
    return [Range(np.minimum.reduce(low), np.maximum.reduce(high))]


def _along_channels(node: NodeView) -> bool:
    return stated_axis(node) == len(node["y"].shape) - 1


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Channels that are needed: a channel of y and its channel of x; along another axis all tensors
    have the same.
    """
    tensors, y = node.variadic("x"), node["y"]
    if not _along_channels(node):
        return tied((*tensors, y), live)
    ends = np.cumsum([channels_of(tensor) for tensor in tensors])
    found = {tensor.id: live[tensor.id] for tensor in tensors}
    for tensor, part in zip(tensors, np.split(live[y.id], ends[:-1]), strict=True):
        found[tensor.id] = found[tensor.id] | part
    return {**found, y.id: np.concatenate([found[tensor.id] for tensor in tensors])}


def rows(node: NodeView) -> RowWindow | None:
    """Window of rows for tensors side by side; None along the axis of rows."""
    return None if stated_axis(node) <= AXIS else elementwise_rows(node)


def turned(node: NodeView, axes: ImageAxes) -> Turned:
    """Concatenation along the same axis of other axes of the image."""
    return Turned({"axis": axes[stated_axis(node)]})


def identity(node: NodeView) -> bool:
    """True if there is only one tensor."""
    return len(node.variadic("x")) == 1


def otherwise(node: NodeView) -> list[Tensor]:
    """Tensors of x, of uint8, whose quantisation is not y's."""
    y = node["y"]
    return [x for x in node.variadic("x") if y.dtype == u8 and x.quantization != y.quantization]


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisations: uint8 tensors cannot be rescaled per channel."""
    y, others = node["y"], otherwise(node)
    if y.dtype != u8 or any(x.quantization is None or x.quantization.per_channel for x in others):
        yield from moved_problems(node)
    elif others and (y.quantization is None or y.quantization.per_channel):
        yield "y must be quantised per tensor"
    else:
        yield from (problem for x in others for problem in rescaling_problems(x, y))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy."""
    y, others = node["y"], otherwise(node)
    parts = [
        rescaled_bytes(each, x, y) if x in others else each
        for x, each in zip(node.variadic("x"), inputs, strict=True)
    ]
    return [np.concatenate(parts, axis=stated_axis(node))]


def rescaled(node: NodeView, builder: GraphBuilder) -> None:
    """Add a rescale of each tensor to the quantisation of y, and their concatenation."""
    y, others, parts = node["y"], otherwise(node), []
    for i, x in enumerate(node.variadic("x")):
        parts.append(x)
        if x in others:
            parts[-1] = builder.tensor(f"x_{i}", x.dtype, x.shape, y.quantization)
            builder.node("rescale", [x], parts[-1:])
    builder.node("concatenation", parts, [y], **node.attributes)


OP = put_together(
    "concatenation",
    Rename("tflite.CONCATENATION", range(1, 8), FUSED),
    stated_axis,
    shape,
    Example.of({"axis": 1}, x=[(2, 3)] * 2, y=(2, 6)),
    types=(i8, i16, i32, i64, u8, u32, boolean, f32),
    attributes=(
        Attribute("axis", int, default=0),
        Attribute("activation", str, default="NONE", choices=("NONE",)),
    ),
    check=check,
    evaluate=evaluate,
    decompose=Decompose(rescaled, when=lambda node: bool(otherwise(node)), required=True),
).with_hooks(
    Hooks(
        channels=Channels(ranges=value_range, live=live_channels),
        lines=turned,
        streaming=Streaming(rows=rows),
        views=Views(identity=identity),
    )
)

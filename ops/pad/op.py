"""Pad: a border of one value around a tensor, by default of zeros."""

from opsmith.op import *
from opsmith.op.border import Border
from opsmith.op.overlap import LARGEST_WALK
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.axes import borders, turned_constants
from runtimes.families.broadcast import MAX_RANK, Five, pad_shape
from runtimes.families.movement import QUANTISED, X, movement, numbers, zero_element


@dataclass(frozen=True)
class Params:
    """Sizes of x and borders, the last axis in bytes. Axes without borders are merged."""

    x_size: Five  # with leading ones
    y_size: Five
    before: Five  # of border before x, along each axis
    unit: int  # bytes of the border's value that repeat: 1 where all are equal
    value: tuple[int, int]  # its bytes, the first 32 bits first


def shape(node: NodeView) -> tuple[int, ...]:
    """Shape of x with its borders."""
    x = node["x"]
    around = borders(node)
    if min(map(min, around)) < 0:
        raise OpError("a border is negative")
    return tuple(size + sum(border) for size, border in zip(x.shape, around, strict=True))


def check(node: NodeView) -> Iterator[str]:
    """Problems of quantisation and value, which TFLite refuses."""
    if node["x"].dtype in QUANTISED:
        yield from per_tensor_problems(node, "x", "y")
    value = node.get("value")
    if value is not None and value.elements != 1:
        yield f"value {value.type} must be one element"
    quantised = node["y"].dtype in QUANTISED
    if value is not None and quantised and value.quantization != node["y"].quantization:
        yield "value must be quantised as y is"


def params(node: NodeView) -> Params:
    """Sizes in as few axes as possible, and the border's value."""
    axes: list[tuple[int, int, int]] = []  # the border before, the size, the border after
    sizes = list(zip(borders(node), node["x"].shape, strict=True))
    for (before, after), size in reversed(sizes):
        width = 1 if axes else node["x"].dtype.size
        inner = axes.pop(0)[1] if axes and axes[0][0] == axes[0][2] == 0 else width
        axes.insert(0, (before * inner, size * inner, after * inner))
    return Params(
        pad_shape(tuple(size for _, size, _ in axes)),
        pad_shape(tuple(sum(axis) for axis in axes)),
        pad_shape(tuple(before for before, _, _ in axes), 0),
        *_repeated(_value(node).tobytes()),
    )


def _repeated(value: bytes) -> tuple[int, tuple[int, int]]:
    """Period in bytes of a repeated value, and the words that it fills."""
    unit = 1 if len(set(value)) == 1 else len(value)
    low, high = np.frombuffer(value.ljust(8, b"\0"), "<i4").tolist()
    return unit, (low, high)


def _value(node: NodeView) -> Array:
    """Element of which the border consists."""
    value, y = node.get("value"), node["y"]
    return np.array(zero_element(y), y.dtype.numpy) if value is None else value.data.reshape(-1)[0]


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Bordered tensor, in numpy."""
    return [np.pad(inputs[0], borders(node), constant_values=_value(node))]


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x: rows are copied by memcpy, so a row of y may not overlap its row of x,
    nor a border the rows to come.
    """
    p = params(node)
    if math.prod(p.x_size[:4]) > LARGEST_WALK:
        return {}
    number = np.zeros(p.x_size[:4], np.int64)  # of the row of y that each row of x goes to
    for place, before, size in zip(np.indices(number.shape), p.before, p.y_size, strict=False):
        number = number * size + place + before
    start = np.arange(number.size) * p.x_size[4]
    end = number.reshape(-1) * p.y_size[4] + p.before[4] + p.x_size[4]
    return {"x": Distance(int(np.max(end - start)))}


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """Range of y: the elements of x and the value of the border."""
    (before, after), value, x = borders(node)[-1], int(_value(node)), ranges[node["x"].id]
    low, high = x.low, x.high
    if any(before or after for before, after in borders(node)[:-1]):
        low, high = np.minimum(low, value), np.maximum(high, value)
    ends = (np.pad(each, (before, after), constant_values=value) for each in (low, high))
    return [Range(*ends)]


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Channels that are needed: each has its own border; with a border of channels, all."""
    tensors = (node["x"], node["y"])
    return all_live(tensors) if any(borders(node)[-1]) else tied(tensors, live)


def border(node: NodeView) -> Border | None:
    """Border that a following int8 convolution can have in place of this node; None if none."""
    before, after = zip(*borders(node), strict=True)
    return Border(before, after, int(_value(node))) if node["x"].dtype == i8 else None


def turned(node: NodeView, axes: ImageAxes) -> Turned:
    """Pad turned to other axes of an image."""
    return Turned(constants=turned_constants(node, axes, paddings=(borders(node), 0)))


def along(node: NodeView, order: Sequence[int]) -> dict[str, Tensor]:
    """Constants of the pad, for another order of axes."""
    moved = np.array(borders(node), np.int32)[list(order)]
    return {"paddings": constant_of(node["paddings"], moved, i32)}


def identity(node: NodeView) -> bool:
    """True if there is no border."""
    return not any(map(any, borders(node)))


KERNEL = reference(params, overlap=overlap)
OP = movement(
    "pad",
    (Rename("tflite.PAD", versions=range(1, 7)), Rename("tflite.PADV2", versions=range(1, 7))),
    lambda node: [shape(node)],
    (KERNEL,),
    inputs=(
        replace(X, rank=range(1, MAX_RANK + 1)),
        numbers("paddings"),
        Input("value", "T", constant=True, optional=True),
    ),
    types=(boolean, i8, u8, i16, i32, i64, f32),
    check=check,
    evaluate=evaluate,
    hooks=Hooks(
        borders=Borders(adds=border),
        channels=Channels(ranges=value_range, live=live_channels),
        lines=turned,
        permutations=Permutations(along=along),
        views=Views(identity=identity),
    ),
    example=Example.of(x=(1, 4, 5, 3), paddings=[[0, 0], [1, 1], [2, 2], [0, 0]], y=(1, 6, 9, 3)),
    traits={"from_nothing"},
)

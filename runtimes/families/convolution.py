"""Convolutions: geometry of filters on images, overlap of y with x, and requantisation."""

from opsmith.op import *
from opsmith.op.border import bordered
from opsmith.op.lines import EXCHANGED, exchanged
from opsmith.op.overlap import Groups, group_distance, pixel_distance
from runtimes.core.accumulator import accumulator_bounds, overflow_problems
from runtimes.core.narrow_requantization import (
    has_wide_sums,
    narrow,
    narrow_multipliers,
    narrow_problems,
    requantization,
)
from runtimes.core.per_channel import (
    bias_of,
    channel_multipliers,
    fixed_point,
    per_channel_problems,
    singles,
)
from runtimes.core.rescaling import Narrow, OfBytes
from runtimes.families.layer import ELEMENT_FACTS, Layer, weights_zero_point
from runtimes.families.window import (
    OPTIONS,
    STRIDES,
    Geometry,
    image_walk,
    output_size,
    padding_before,
)

DILATIONS = {"dilation_h_factor": "dilation_height", "dilation_w_factor": "dilation_width"}
CONVOLUTION_OPTIONS = {**OPTIONS, **DILATIONS}  # TFLite's option -> attribute
CONVOLUTION_ATTRIBUTES = (
    *STRIDES,
    Attribute("border", ListOf(int), default=()),  # pixels above, below, left and right of x
    Attribute("dilation_height", int, default=1),
    Attribute("dilation_width", int, default=1),
    *CLAMP_ATTRIBUTES,
)
_ALONG = {1: "height", 2: "width"}


@dataclass(frozen=True, kw_only=True)
class FilterGeometry(Geometry):
    """Geometry of filters over images, each of which reads several channels."""

    filter_channels: int  # the last size of the filter
    output_channels: int


@dataclass(frozen=True, kw_only=True)
class Grouped:
    """Params of kernels of several groups of channels, each of which has filters of its own."""

    filter_channels: int  # of x that a filter reads
    groups: int


@dataclass(frozen=True)
class Packed:
    """Filter and requantisation constants in the order in which a kernel reads words."""

    filter: NDArray[np.int8]
    requantization: NDArray[np.int32]  # a row for each channel


def geometry(node: NodeView) -> Geometry:
    """Geometry of the filter of a node with x, filter and y."""
    return CONVOLUTION.params(Geometry, node)


def groups(node: NodeView) -> int:
    """Number of groups of channels of x, each of which has filters of its own."""
    return node["x"].shape[3] // node["filter"].shape[3]


def filled_groups(rows: Array, count: int, multiple: int) -> Array:
    """Rows of y's channels, with zeros after each of `count` groups to a multiple of `multiple`."""
    by_group = rows.reshape(count, -1, rows.shape[1])
    filled = np.pad(by_group, ((0, 0), (0, -by_group.shape[1] % multiple), (0, 0)))
    return np.ascontiguousarray(filled.reshape(-1, rows.shape[1]))


def refused_groups(node: NodeView) -> Refused | None:
    """Reason against nodes with several groups, for kernels of one group."""
    return None if groups(node) == 1 else Refused(f"{groups(node)} groups, not one")


def refused_window(node: NodeView, most: int, params: type[Any] = object) -> Refused | None:
    """Reason against nodes with windows of more than `most` inputs, for kernels that copy windows,
    and against several groups, or one where `params` has the fields of `Grouped`.
    """
    inputs = CONVOLUTION.inputs(node)
    fits = None if inputs <= most else Refused(f"a window has {inputs} inputs, more than {most}")
    if issubclass(params, Grouped):
        return fits if groups(node) > 1 else Refused("one group, not several")
    return refused_groups(node) or fits


def elements_of_rest(node: NodeView, pixels: int) -> int:
    """Elements of scratch for the last group of pixels of y, if it has fewer than `pixels`."""
    _, height, width, channels = node["y"].shape
    return pixels * channels if height * width % pixels else 0


def reads_pixels(node: NodeView) -> bool:
    """True if each window is one pixel of x, and no border is around x."""
    return node["filter"].shape[1:3] == (1, 1) and not any(node.attributes["border"])


def filtered_size(node: NodeView) -> tuple[int, int]:
    """(height, width) of y. Raises OpError where the filter does not fit."""
    height, width = (_filtered(node, axis) for axis in _ALONG)
    return height, width


def _filtered(node: NodeView, axis: int) -> int:
    weights, a, (_, size) = node["filter"], node.attributes, bordered(node, axis)
    stride, dilation = a[f"stride_{_ALONG[axis]}"], a[f"dilation_{_ALONG[axis]}"]
    return output_size(a["padding"], size, weights.shape[axis], stride, dilation)


def filter_padding(node: NodeView, axis: int) -> int:
    """Pixels of border and padding before the first pixel, along one axis."""
    weights, y, a = node["filter"], node["y"], node.attributes
    stride, dilation = a[f"stride_{_ALONG[axis]}"], a[f"dilation_{_ALONG[axis]}"]
    before, size = bordered(node, axis)
    return before + padding_before(
        a["padding"], size, weights.shape[axis], stride, dilation, y.shape[axis]
    )


def group_overlap(node: NodeView, pixels: Groups, *, by_group: bool = False) -> dict[str, Distance]:
    """Distances for kernels that copy all inputs of a group of pixels before they write any output
    of it; with `by_group`, of each group of channels for itself.
    """
    x, y = node["x"], node["y"]
    read, written = (t.shape[3] * t.dtype.size for t in (x, y))
    walk, count = image_walk(geometry(node)), y.shape[1] * y.shape[2]
    again = by_group and groups(node) > 1
    return {"x": group_distance(walk, count, pixels, read, written, again=again)}


def pixel_overlap(node: NodeView, block: int = 1) -> dict[str, Distance]:
    """Distances for kernels that read a pixel's windows again for each block of channels."""
    x, y = node["x"], node["y"]
    read, written = (t.shape[3] * t.dtype.size for t in (x, y))
    walk = image_walk(geometry(node))
    return {"x": pixel_distance(walk, read, written, block * y.dtype.size)}


def int8_problems(layer: Layer, node: NodeView) -> Iterator[str]:
    """Problems of an int8 convolution's quantisation."""
    yield from (problems := list(per_channel_problems(node, layer.axis)))
    if not problems:
        bounds = accumulator_bounds(node["x"], layer.rows(node), bias_of(node))
        yield from overflow_problems(bounds, channel_multipliers(node)[1], bias_of(node))


def int16_problems(layer: Layer, node: NodeView) -> Iterator[str]:
    """Problems of an int16 convolution's quantisation."""
    return narrow_problems(node, layer.rows(node), layer.axis)


def narrow_filter_problems(node: NodeView) -> Iterator[str]:
    """Sentence about a filter of int2, which LiteRT reads as if it were int8."""
    if node["filter"].packed == 2:
        x = node["x"].dtype.name
        yield f"LiteRT cannot run filters of int2 where x is {x}: it reads beyond their end"


def rescaling(node: NodeView) -> OfBytes | Narrow:
    """Rescaling of the sums of a convolution of integers, by the node's rule."""
    return narrow(node) if has_wide_sums(node) else _RESCALINGS[node.numerics](node)


_RESCALINGS: Mapping[Numerics, Callable[[NodeView], OfBytes]] = {
    Numerics.REFERENCE: fixed_point,
    Numerics.NOTEBOOK: partial(singles, weights="filter"),
}


def _multipliers(node: NodeView) -> tuple[Array, Array]:
    return narrow_multipliers(node) if has_wide_sums(node) else channel_multipliers(node)


def _turned(node: NodeView, axes: ImageAxes) -> Turned | None:
    """Filter turned to other axes of its image. A window meets one row or column of taps in their
    order, so that float sums are equal.
    """
    if axes != EXCHANGED:
        return None
    weights = node["filter"]
    filters = np.ascontiguousarray(weights.data.transpose(axes))
    return Turned(
        exchanged(node, "stride", "dilation"),
        {"filter": constant_of(weights, filters, weights.dtype)},
    )


def _dilated(node: NodeView, cut: Cut) -> Mapping[str, Any] | None:
    """Attributes of a dilated convolution in place of one on an image that is cut into blocks: taps
    a block apart, with padding where SAME gives those zeros, else with a border.

    None where each image is quantised by itself at run time, or where zero times a weight is not
    zero.
    """
    a, sizes, weights = node.attributes, node["filter"].shape[1:3], node["filter"]
    inside = a["padding"] == "VALID" and not any(a["border"])
    along = [(a[f"stride_{name}"], a[f"dilation_{name}"]) for name in _ALONG.values()]
    if not inside or along != [(1, 1), (1, 1)]:
        return None
    if not node["x"].dtype.is_integer and (
        weights.dtype != node["x"].dtype or not np.isfinite(weights.data).all()
    ):
        return None
    reach = [(size - 1) * by for size, by in zip(sizes, cut.block, strict=True)]
    same = [(each // 2, each - each // 2) for each in reach]
    zeros = list(zip(cut.before, cut.after, strict=True))
    found = {f"dilation_{name}": by for name, by in zip(_ALONG.values(), cut.block, strict=True)}
    if not any(map(any, zeros)):
        return found
    if zeros == same:
        return {**found, "padding": "SAME"}
    border = tuple(side for pair in zeros for side in pair)
    return {**found, "border": border} if node["x"].dtype == i8 else None


# What every convolution does with images of one row or column, and with positions of blocks.
FILTER = Hooks(lines=_turned, blocks=Blocks(dilates=_dilated))


def _size(tensor: str, axis: int) -> Callable[[NodeView], int]:
    return lambda node: node[tensor].shape[axis]


_FACTS: Facts = {
    **ELEMENT_FACTS,
    "batches": _size("x", 0),
    "input_height": _size("x", 1),
    "input_width": _size("x", 2),
    "input_channels": _size("x", 3),
    "filter_height": _size("filter", 1),
    "filter_width": _size("filter", 2),
    "filter_channels": _size("filter", 3),
    "output_height": _size("y", 1),
    "output_width": _size("y", 2),
    "output_channels": _size("y", 3),
    "groups": groups,
    "padding_top": lambda node: filter_padding(node, 1),
    "padding_left": lambda node: filter_padding(node, 2),
    "filter": lambda node: node["filter"].data,
    "filter_zero_point": lambda node: weights_zero_point(node["filter"]),
    "multiplier": lambda node: _multipliers(node)[0],
    "shift": lambda node: _multipliers(node)[1],
    "factor": lambda node: singles(node, "filter").factors,
}
CONVOLUTION = Layer(
    weights="filter",
    type_variable="F",
    axis=0,
    by_channel=lambda node: node["filter"].data,
    groups=groups,
    window=geometry,
    rescaling=rescaling,
    widths=requantization,
    facts=_FACTS,
)

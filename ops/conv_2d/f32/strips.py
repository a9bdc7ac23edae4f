"""Kernels of Conv2D for float32 that compute four pixels and four channels at a time."""

from opsmith.op import *
from opsmith.op.overlap import pixel_distance, side_by_side
from runtimes.families.convolution import CONVOLUTION, geometry, group_overlap, groups
from runtimes.families.real_convolution import Params
from runtimes.families.window import Geometry, image_walk, inside_along

FOUR = 4  # pixels, and channels, whose sums are computed together
MAX_WINDOW = 160  # inputs to copy: of more, runs in the image are long and copies large


@dataclass(frozen=True)
class Rates:
    """Cost of a kernel per unit of work; all but the last two are for four channels."""

    four: float  # for an input of each of four pixels
    one: float  # for an input of one pixel
    run: float  # for a run of inputs, besides
    block: float  # for four pixels or one, besides
    strip: float  # for four pixels or one of all channels, besides
    output: float  # for an element of y


def strips_plan(node: NodeView, tables: Any) -> Plan:
    """Plan of a kernel that reads inputs from their place."""
    params = CONVOLUTION.params(Params, node, **_walk(node))
    return Plan(params, tables, overlap=partial(_overlap, node))


def windows_plan(node: NodeView, tables: Any) -> Plan | Refused:
    """Plan of a kernel that copies windows: for small ones, undilated across, with finite weights.

    A zero that is copied, times a finite weight, leaves a sum as it is, since none is a negative
    zero: sums start at a positive one, and terms that cancel give a positive one.
    """
    inputs = CONVOLUTION.inputs(node)
    if inputs > MAX_WINDOW:
        return Refused(f"a window has {inputs} inputs, more than {MAX_WINDOW}")
    if (dilation := node.attributes["dilation_width"]) != 1:
        return Refused(f"columns are dilated by {dilation}")
    if not np.isfinite(node["filter"].data).all():
        return Refused("a weight is not finite")
    return Plan(
        CONVOLUTION.params(Params, node),
        tables,
        {"windows": FOUR * inputs},
        partial(group_overlap, node, FOUR, by_group=True),
    )


def _walk(node: NodeView) -> dict[str, int]:
    """Sizes with images as one row of pixels where pixel i of y needs pixel i of x alone."""
    x, y, a = node["x"].shape, node["y"].shape, node.attributes
    strides = a["stride_height"], a["stride_width"]
    if node["filter"].shape[1:3] != (1, 1) or strides != (1, 1) or x[:3] != y[:3]:
        return {}
    pixels = {f"{image}_width": y[1] * y[2] for image in ("input", "output")}
    return {"input_height": 1, "output_height": 1, **pixels}


def _overlap(node: NodeView) -> dict[str, Distance]:
    """Distances for windows of four pixels that are read again for each four of their channels."""
    read, written = (node[name].shape[3] * node[name].dtype.size for name in ("x", "y"))
    width = _walk(node).get("output_width", node["y"].shape[2])
    walk = side_by_side(image_walk(geometry(node)), width, FOUR)
    return {"x": pixel_distance(walk, read, written, FOUR * node["y"].dtype.size)}


def strips_cost(rates: Rates, node: NodeView) -> float:
    """Cost of runs of inputs inside the image, for four pixels or one."""
    g, depth = CONVOLUTION.params(Geometry, node, **_walk(node)), node["filter"].shape[3]
    down, right = g.axes
    fours = _between_sides(g) // FOUR
    strips = g.output_width - (FOUR - 1) * fours
    taps = inside_along(right) - FOUR * fours * g.filter_width  # of single pixels
    runs = strips if depth == g.dilation_width * g.input_channels else fours * g.filter_width + taps
    of_row = depth * (fours * g.filter_width * rates.four + taps * rates.one) + runs * rates.run
    of_blocks = inside_along(down) * of_row + g.output_height * strips * rates.block
    image = _blocks(node) * of_blocks + g.output_height * strips * rates.strip
    return g.batches * image + rates.output * node["y"].elements


def windows_cost(rates: Rates, node: NodeView) -> float:
    """Cost of copied windows: of groups of four pixels, and of the last pixels."""
    batches, height, width, _ = node["y"].shape
    inputs, (_, rows, columns, _) = CONVOLUTION.inputs(node), node["filter"].shape
    fours, ones = divmod(height * width, FOUR)
    more = (fours + ones) * (rates.run + rates.block)
    multiplied = inputs * (fours * rates.four + ones * rates.one) + more
    runs = rows * (12.0 if groups(node) == 1 else 5.0 * columns)
    copied = groups(node) * height * width * (runs + 6.5 * inputs)
    return batches * (_blocks(node) * multiplied + copied) + rates.output * node["y"].elements


def _blocks(node: NodeView) -> int:
    count = groups(node)
    return count * -(-node["y"].shape[3] // count // FOUR)


def _between_sides(g: Geometry) -> int:
    """Number of windows of a row that lie within both sides of the image."""
    reach = (g.filter_width - 1) * g.dilation_width
    first = -(-g.padding_left // g.stride_width)
    last = (g.input_width - 1 - reach + g.padding_left) // g.stride_width
    return max(min(last, g.output_width - 1) - first + 1, 0)

"""Conv2D of float32 by int8 filters by plain.h: four pixels at a time on cores with Thumb alone."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION, groups, refused_window
from runtimes.families.convolution_counts import gathered, groups_of_pixels, pixels
from runtimes.families.dynamic_range import image_overlap, real_channels, real_rows
from runtimes.families.layer import RealClamped
from runtimes.families.owning import grouping
from runtimes.families.window import Geometry

from ..i8.plain import MAX_WINDOW, PIXELS, STEP, filter_words, pairs_fit
from . import by_channel

OUTPUT, INPUT = 34.0, 28.0  # cycles of a Cortex-M4F for an output, and to quantise an input
WINDOW = 30.0  # cycles more for each window of one of several groups


@dataclass(frozen=True, kw_only=True)
class SoftParams(RealClamped, Geometry):
    """Geometry, bounds of y, and the quantisation of images."""

    output_channels: int
    by_channel: bool  # asymmetrically, and multiplied by the scale of each channel first


@dataclass(frozen=True)
class PlainTables:
    """Filter, whose inputs zeros fill up to a multiple of four, and constants of channels."""

    filter: NDArray[np.int32]  # [channels][inputs / 4], each of int8 for inputs 1, 2, 3 and 0
    requantization: NDArray[np.int32]  # as real_channels() makes them


def soft_plan(
    node: NodeView, windows: int, tables: Callable[[NodeView], Any], params: type[SoftParams]
) -> Plan | Refused:
    """Plan for a limited window, and these elements of scratch for windows."""
    if refused := refused_window(node, MAX_WINDOW, params):
        return refused
    scratch = {
        "image": node["x"].elements // node["x"].shape[0],
        "windows": windows,
        "scales": node["y"].shape[3],
    }
    made = CONVOLUTION.params(params, node, by_channel=by_channel(node))
    return Plan(made, partial(tables, node), scratch, partial(image_overlap, node))


def plan(node: NodeView, params: type[SoftParams] = SoftParams) -> Plan | Refused:
    """Plan for a limited window, and sums of two products that fit 16 bits."""
    if not pairs_fit(CONVOLUTION.rows(node)):
        return Refused("two weights that meet are -128")
    windows = PIXELS // 2 * (-(-CONVOLUTION.inputs(node) // STEP) * STEP)
    return soft_plan(node, windows, _tables, params)


def _tables(node: NodeView) -> PlainTables:
    return PlainTables(filter_words(CONVOLUTION.rows(node)), constants(node, 1))


def constants(node: NodeView, multiple: int) -> Array:
    """Constants of channels, filled up to a multiple."""
    return real_channels(real_rows(CONVOLUTION, node), multiple)


def soft_cost(node: NodeView) -> float:
    """Cycles for sums that become outputs, and for inputs that are quantised."""
    return OUTPUT * node["y"].elements + INPUT * node["x"].elements


def copied(node: NodeView, per_input: float) -> float:
    """Cycles for windows that are copied, with what each takes where groups have their own."""
    windows = pixels(node) * groups(node) if groups(node) > 1 else 0
    return gathered(node, per_input) + WINDOW * windows


def cost(node: NodeView) -> float:
    """Cost of windows that are copied, of products, and of soft floats."""
    inputs = CONVOLUTION.inputs(node)
    products = groups_of_pixels(node, PIXELS) * node["y"].shape[3] * 49.0 * -(-inputs // STEP)
    return copied(node, 7.5) + products + soft_cost(node)


PLAIN = Kernel(
    "plain",
    SoftParams,
    plan,
    PlainTables,
    scratch={"image": i8, "windows": i32, "scales": f32},
    requires={"thumb"},
    cost=cost,
    pixels=PIXELS,
)
KERNELS = (PLAIN, grouping("conv_2d/f32x8", PLAIN))

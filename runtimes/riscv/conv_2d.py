"""CONV_2D of int8: output channels in the lanes of vectors, three pixels at a time."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION, group_overlap, refused_groups
from runtimes.families.convolution_counts import groups_of_pixels, pixels
from runtimes.families.layer import Quantized
from runtimes.families.window import Geometry
from runtimes.riscv.requantization import PIXELS, InputsByChannel, fixed_point, strips


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, Geometry):
    """Geometry of one group of channels, zero points, and bounds of y."""

    output_channels: int
    reversed: bool = False  # walk from the last group of pixels to the first


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group of channels; Refused for several."""
    if refused := refused_groups(node):
        return refused
    params, scratch = CONVOLUTION.params(Params, node), PIXELS * CONVOLUTION.inputs(node)
    overlap = partial(group_overlap, node, PIXELS)
    return Plan(params, partial(tables, node), {"windows": scratch}, overlap)


def tables(node: NodeView) -> InputsByChannel:
    """Weights by inputs, and Q31 multipliers."""
    weights = np.ascontiguousarray(CONVOLUTION.rows(node).T)
    return InputsByChannel(weights, fixed_point(CONVOLUTION, node))


def cost(node: NodeView) -> float:
    """Cost of windows, which are copied by rows, or by taps where these are apart, and of strips of
    channels, in instructions of vectors of 128 bits.
    """
    _, height, width, _ = node["filter"].shape
    runs = height * (width if node.attributes["dilation_width"] > 1 else 1)
    of_strip = 11.0 * CONVOLUTION.inputs(node) + 75.0
    products = groups_of_pixels(node, PIXELS) * strips(node["y"].shape[3]) * of_strip
    return products + pixels(node) * (10.0 + 55.0 * runs)


RVV = Kernel(
    "rvv",
    Params,
    plan,
    InputsByChannel,
    scratch={"windows": i8},
    requires={"zve32x"},
    cost=cost,
    pixels=PIXELS,
)
KERNELS = (KernelsFor({"T": i8, "F": i8, "B": i32}, (RVV,)),)

"""Conv2D of float32 by int8 filters by dsp.h: weights in pairs, four pixels at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import FOUR_REAL_PIXELS, largest_scale, refused_weights
from runtimes.cmsis.dsp_packing import paired
from runtimes.cmsis.dsp_padding import whole_words
from runtimes.families.convolution import (
    CONVOLUTION,
    Packed,
    elements_of_rest,
    reads_pixels,
    refused_window,
)
from runtimes.families.dynamic_range import image_overlap, real_channels, real_rows
from runtimes.families.layer import RealClamped
from runtimes.families.window import Geometry

from . import by_channel

PIXELS = 4  # of y that the kernel computes before it writes any of them
PER_MAC = 0.9  # instructions
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True, kw_only=True)
class DspParams(RealClamped, Geometry):
    """Geometry, bounds of y, quantisation of images, and scratch for a window."""

    output_channels: int
    by_channel: bool  # asymmetrically, and multiplied by the scale of each channel first
    window: int  # bytes, whole words
    largest_scale: float  # float32, of an image with which no output is infinite


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group, a limited window, and weights that fit in pairs."""
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    if refused := refused_weights(CONVOLUTION.rows(node), asymmetric=by_channel(node)):
        return refused
    window = whole_words(CONVOLUTION.inputs(node))
    scratch = {
        "image": node["x"].elements // node["x"].shape[0],
        "columns": PIXELS // 2 * window,
        "window": 0 if reads_words(node) else window,
        "rest": elements_of_rest(node, PIXELS),
    }
    params = CONVOLUTION.params(DspParams, node, **image_facts(node))
    return Plan(params, partial(tables, node), scratch, partial(image_overlap, node))


def reads_words(node: NodeView) -> bool:
    """True if each window is a pixel of the image in whole words."""
    return reads_pixels(node) and node["x"].shape[3] % 4 == 0


def image_facts(node: NodeView) -> dict[str, int | float]:
    """Fields of DspParams that are neither facts of layers nor attributes."""
    return {
        "by_channel": by_channel(node),
        "window": whole_words(CONVOLUTION.inputs(node)),
        "largest_scale": largest_scale(real_rows(CONVOLUTION, node)),
    }


def tables(node: NodeView) -> Packed:
    """Filter by pairs of channels, and constants of each channel."""
    rows = real_rows(CONVOLUTION, node)
    return Packed(paired(rows.weights, 2), real_channels(rows, 2))


def cost(node: NodeView) -> float:
    """Cost of groups of pixels, full or not, and of quantising images."""
    batches, height, width, channels = node["y"].shape
    pixels = -(-height * width // PIXELS) * PIXELS * batches
    window = whole_words(CONVOLUTION.inputs(node))
    products = (channels + channels % 2) * (PER_MAC * window + per_output(node))
    spread = 0.8 * window if reads_words(node) else 60 + 1.9 * window
    return pixels * (products + spread) + image_cost(node)


def per_output(node: NodeView) -> float:
    """Cost of an output: of its scales, its bias, and each of its bounds."""
    low, high = real_clamp_range(node)
    widest = float(np.finfo(np.float32).max)
    return 12.4 + 4.4 * (low > -widest or high < widest) + 4.2 * (high < widest)


def image_cost(node: NodeView) -> float:
    """Cost of finding the range of images, and of quantising them."""
    return (15.0 if by_channel(node) else 12.0) * node["x"].elements + 400.0 * node["x"].shape[0]


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    Packed,
    scratch={"image": i8, "columns": i32, "window": i8, "rest": f32},
    requires={"dsp", "fpu"},
    copies=("memcpy", "memset"),  # windows at the border, and a last group of pixels
    cost=cost,
    code=Code(500, general=1000 + 2472, slowdown=1.08, shared=FOUR_REAL_PIXELS),
    pixels=PIXELS,
)
KERNELS = (DSP,)

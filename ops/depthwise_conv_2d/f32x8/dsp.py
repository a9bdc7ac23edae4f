"""DepthwiseConv2D of float32 by int8 filters by dsp.h: 3x3, a channel in a plane."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import QUANTIZED, largest_scale
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import DEPTHWISE, Geometry3x3, refused_3x3, refused_plane
from runtimes.families.dynamic_range import image_overlap, real_channels, real_rows
from runtimes.families.layer import RealClamped

from ..i8.dsp import plane_of, rows_3x3

WINDOWS = QUANTIZED | {"dense_windows, of reals": 1534}
RANGE, INPUT = 400.0, 15.0  # instructions for each image and input that is quantised


@dataclass(frozen=True, kw_only=True)
class DspParams(RealClamped, Geometry3x3):
    """Geometry, bounds of y, and the plane to which a channel is copied with its border."""

    plane_width: int  # bytes
    plane_height: int
    largest_scale: float  # float32, of an image with which no output is infinite


def plan(node: NodeView) -> Plan | Refused:
    """Plan for a filter of 3x3 for each channel, and a limited plane."""
    width, height = plane_of(node)
    if refused := refused_3x3(node) or refused_plane(node, width * height, "bytes"):
        return refused
    params = DEPTHWISE.params(
        DspParams,
        node,
        plane_width=width,
        plane_height=height,
        largest_scale=largest_scale(real_rows(DEPTHWISE, node)),
    )
    scratch = {"image": node["x"].elements // node["x"].shape[0], "plane": width * height}
    return Plan(params, partial(tables, node), scratch, partial(image_overlap, node))


def tables(node: NodeView) -> Packed:
    """Nine weights of each channel, a word for each row, and the constants of channels."""
    rows = real_rows(DEPTHWISE, node)
    return Packed(rows_3x3(rows.weights), real_channels(rows, 1))


def image_cost(node: NodeView) -> float:
    """Cost of finding the range of images, and of quantising them."""
    return RANGE * node["x"].shape[0] + INPUT * node["x"].elements


def cost(node: NodeView) -> float:
    """Cost of channels that are copied to their plane, of their outputs and of the image."""
    batches, height, width, channels = node["y"].shape
    _, rows, columns, _ = node["x"].shape
    bounded = 4.5 * (real_clamp_range(node)[1] < np.finfo(np.float32).max)
    if node.attributes["stride_height"] == node.attributes["stride_width"] == 1:
        outputs = -(-height // 2) * (22 + 4 * (35.0 + bounded) * -(-width // 2))
    else:
        outputs = height * (22 + (51.0 + bounded) * width)
    return float(batches * channels * (130 + 2.4 * rows * columns + outputs)) + image_cost(node)


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    Packed,
    scratch={"image": i8, "plane": i8},
    requires={"dsp", "fpu"},
    copies=("memset",),
    cost=cost,
    code=Code(instance=400, general=800 + 2870, slowdown=1.05, shared=WINDOWS),
    pixels=0,
)
KERNELS = (DSP,)

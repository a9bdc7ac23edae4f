"""Depthwise convolutions: filters [1][height][width][channels] that read one channel each."""

from opsmith.op import *
from opsmith.op.overlap import planes
from runtimes.core.narrow_requantization import requantization
from runtimes.families.convolution import CONVOLUTION, geometry, rescaling
from runtimes.families.layer import Layer
from runtimes.families.window import Geometry, taps_inside

MAX_PLANE = 4096  # elements of scratch, or of an image this part
PART_OF_IMAGE = 8
WIDE = Refused("a sum may need 64 bits")


@dataclass(frozen=True, kw_only=True)
class DepthwiseGeometry(Geometry):
    """Geometry of filters over images, each of which reads one channel."""

    channel_multiplier: int  # filters for each channel of x


@dataclass(frozen=True, kw_only=True)
class Geometry3x3:
    """Geometry of 3x3 filters, one for each channel. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    padding_top: int
    padding_left: int


def multiplier(node: NodeView) -> int:
    """Number of output channels for each input channel."""
    return node["filter"].shape[3] // node["x"].shape[3]


def refused_multiplier(node: NodeView) -> Refused | None:
    """Reason against several filters per channel of x, for kernels that have one."""
    count = multiplier(node)
    return None if count == 1 else Refused(f"{count} filters for each channel, not one")


def refused_3x3(node: NodeView) -> Refused | None:
    """Reason against filters other than one of 3x3 per channel."""
    (_, height, width, _), a = node["filter"].shape, node.attributes
    if (height, width) != (3, 3):
        return Refused(f"filter is {height}x{width}, not 3x3")
    if (dilation := (a["dilation_height"], a["dilation_width"])) != (1, 1):
        return Refused(f"filter is dilated by {dilation[0]}x{dilation[1]}")
    return refused_multiplier(node)


def refused_plane(node: NodeView, size: int, what: str) -> Refused | None:
    """Reason against nodes for which a kernel's copy of one channel with its border, a plane, takes
    too much scratch.

    A large plane pays where it is small beside the image, which y may replace.
    """
    most = max(MAX_PLANE, node["x"].elements // node["x"].shape[0] // PART_OF_IMAGE)
    return None if size <= most else Refused(f"a plane has {size} {what}, more than {most}")


def inside_cost(per_tap: float, per_output: float, per_pixel: float) -> Callable[[NodeView], float]:
    """The cost in instructions of a kernel that leaves out taps beyond the image."""

    def cost(node: NodeView) -> float:
        batches, height, width, channels = node["y"].shape
        taps = per_tap * taps_inside(geometry(node)) * channels
        return taps + batches * height * width * (per_output * channels + per_pixel)

    return cost


def plane_overlap(node: NodeView) -> dict[str, Distance]:
    """Distances for kernels that copy a channel of an image to scratch before they write it, so
    that y may replace x.
    """
    return {"x": planes(node["x"].shape, node["y"].shape)}


def _by_channel(node: NodeView) -> Array:
    by_channel: Array = np.moveaxis(node["filter"].data[0], 2, 0)
    return by_channel[..., np.newaxis]


DEPTHWISE = Layer(
    weights="filter",
    type_variable="F",
    axis=3,
    by_channel=_by_channel,
    groups=lambda node: node["x"].shape[3],
    window=geometry,
    rescaling=rescaling,
    widths=requantization,
    facts={
        **CONVOLUTION.facts,
        "channels": lambda node: node["x"].shape[3],
        "channel_multiplier": multiplier,
        "input_bytes": lambda node: node["x"].elements // node["x"].shape[0],  # of an image of int8
        "output_bytes": lambda node: node["y"].elements // node["y"].shape[0],
    },
)

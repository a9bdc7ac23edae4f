"""Depthwise convolutions: filters of one channel each, [1][height][width][channels]."""

from opsmith.op import *
from opsmith.op.overlap import planes
from opsmith.runtimes.core.narrow_requantization import requantization
from opsmith.runtimes.families.convolution import CONVOLUTION, geometry, rescaling
from opsmith.runtimes.families.layer import Layer
from opsmith.runtimes.families.window import Geometry

MAX_PLANE = 4096  # elements of scratch, or of an image this part
PART_OF_IMAGE = 8
WIDE = Refused("a sum may need 64 bits")


@dataclass(frozen=True, kw_only=True)
class DepthwiseGeometry(Geometry):
    """Geometry of filters that read one channel each."""

    channel_multiplier: int  # filters for each channel of x


@dataclass(frozen=True, kw_only=True)
class Geometry3x3:
    """Geometry of filters of 3x3, one for each channel. Sizes in pixels and channels."""

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
    """Output channels of one input channel."""
    return node["filter"].shape[3] // node["x"].shape[3]


def refused_multiplier(node: NodeView) -> Refused | None:
    """Reason why a kernel for one filter for each channel of x does not take a node."""
    count = multiplier(node)
    return None if count == 1 else Refused(f"{count} filters for each channel, not one")


def refused_3x3(node: NodeView) -> Refused | None:
    """Reason why a kernel for filters of 3x3, one for each channel, does not take a node."""
    (_, height, width, _), a = node["filter"].shape, node.attributes
    if (height, width) != (3, 3):
        return Refused(f"filter is {height}x{width}, not 3x3")
    if (dilation := (a["dilation_height"], a["dilation_width"])) != (1, 1):
        return Refused(f"filter is dilated by {dilation[0]}x{dilation[1]}")
    return refused_multiplier(node)


def refused_plane(node: NodeView, size: int, what: str) -> Refused | None:
    """Reason why a kernel that copies a channel and its border to a plane does not take a node.

    A large plane is worth its scratch where it is little beside the image, which y may replace.
    """
    most = max(MAX_PLANE, node["x"].elements // node["x"].shape[0] // PART_OF_IMAGE)
    return None if size <= most else Refused(f"a plane has {size} {what}, more than {most}")


def plane_overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of an image is copied to scratch before it is written, so y may replace x."""
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

"""DepthwiseConv2D of int8 by dsp_window.h: y is one pixel."""

from opsmith.op import *
from runtimes.core.channel_packing import blocks_of_channels
from runtimes.core.dsp_requantization import DspRequantization, Shifts
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier
from runtimes.families.layer import Clamped
from runtimes.families.owning import listing, owning, singling, with_ways

from .params import axes

CHANNELS = 4  # in a word


@dataclass(frozen=True, kw_only=True)
class Window:
    """Window over an image. Pitches are in bytes."""

    batches: int
    channels: int
    input_bytes: int  # of an image
    filter_height: int
    filter_width: int
    row_pitch: int
    tap_pitch: int


@dataclass(frozen=True, kw_only=True)
class WindowParams(Shifts, Clamped, Window):
    """Window, bounds of y, and requantisation."""


def plan(node: NodeView, params: type[WindowParams] = WindowParams) -> Plan | Refused:
    """Plan for one window that lies within the image, and whole words of channels."""
    (down, right), channels = axes(node), node["x"].shape[3]
    pitches = {
        "row_pitch": down.dilation * down.pitch * channels,
        "tap_pitch": right.dilation * channels,
    }
    return (
        refused_multiplier(node)
        or _refused(node)
        or DEPTHWISE.proved(node, params, tables, overlap=_overlap, more=pitches)
    )


def _refused(node: NodeView) -> Refused | None:
    x, (_, height, width, _) = node["x"], node["y"].shape
    if x.shape[3] % CHANNELS:
        return Refused(f"{x.shape[3]} channels, not a multiple of {CHANNELS}")
    if (height, width) != (1, 1):
        return Refused(f"y is {height}x{width}, not one pixel")
    if any(a.padding or (a.filter - 1) * a.dilation + 1 > a.input for a in axes(node)):
        return Refused("the window reaches beyond the image")
    return None


def tables(found: DspRequantization) -> Packed:
    """Weights of four channels tap by tap, [channels / 4][taps][4]; requantisation constants."""
    return Packed(blocks_of_channels(found.weights, CHANNELS), found.table)


def _overlap() -> dict[str, Distance]:
    """Distance of y from x: four channels of y are written after these of x are read."""
    return {"x": Distance(in_place=True)}


DSP_WINDOW = Kernel(
    "dsp_window",
    WindowParams,
    plan,
    Packed,
    numerics=ANY_RULE,
    requires={"dsp"},
    cost=DEPTHWISE.cost(2.8, 7.0),
    code=Code(instance=290, general=620, slowdown=3.1),
)
KERNELS = with_ways("depthwise_conv_2d/i8", DSP_WINDOW, owning, listing, singling)

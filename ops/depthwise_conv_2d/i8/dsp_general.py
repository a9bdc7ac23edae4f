"""DepthwiseConv2D of int8 by dsp_general.h: any filter, a channel in a plane with its border.

The kernel works on lines of samples: rows of pixels, or columns where the filter is higher than
wide.
"""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization, Shifts
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import DEPTHWISE, multiplier, plane_overlap, refused_plane
from runtimes.families.layer import Clamped
from runtimes.families.owning import among_thresholds, listing, singling, with_ways

from .params import Axis, axes

OUTPUTS = 4  # of a line that the kernel computes at once


@dataclass(frozen=True, kw_only=True)
class PlaneLines:
    """Lines of samples, and the plane of a channel. Pitches are in bytes."""

    batches: int
    channels: int  # of the input
    channel_multiplier: int  # filters of each
    input_bytes: int  # of an image
    output_bytes: int
    input_line_pitch: int
    input_sample_pitch: int
    output_line_pitch: int
    output_sample_pitch: int
    copied_lines: int  # of the input that windows reach
    copied_samples: int
    output_lines: int
    output_samples: int
    filter_lines: int
    stride_line: int
    stride_sample: int
    dilation_line: int
    padding_line: int
    padding_sample: int
    plane_pitch: int
    plane_bytes: int
    input_zero_point: int


@dataclass(frozen=True, kw_only=True)
class LineParams(Shifts, Clamped, PlaneLines):
    """Lines of samples, bounds of y, and requantisation."""


@dataclass(frozen=True, kw_only=True)
class GeneralParams(LineParams):
    """Lines of samples whose filter is read by words."""

    filter_words: int  # of a line of the filter: one for each four samples


def plan(node: NodeView, params: type[GeneralParams] = GeneralParams) -> Plan | Refused:
    """Plan for samples that are neighbours, and a limited plane."""
    return planned(node, params, tables, {"filter_words": -(-line_axes(node)[1].filter // 4)})


def planned(
    node: NodeView,
    params: type[LineParams],
    tables: Callable[[NodeView, DspRequantization], Packed],
    more: dict[str, int],
) -> Plan | Refused:
    """Plan of a kernel with these params and tables that copies channels to a plane."""
    lines, samples = line_axes(node)
    if samples.dilation != 1:
        return Refused(f"filter is dilated by {samples.dilation} along its lines")
    p = plane_lines(node, lines, samples)
    return refused_plane(node, p["plane_bytes"], "bytes") or DEPTHWISE.proved(
        node,
        params,
        partial(tables, node),
        {"plane": p["plane_bytes"]},
        partial(plane_overlap, node) if multiplier(node) == 1 else None,
        more={**p, **more},
        mixed=1,
    )


def plane_lines(node: NodeView, lines: Axis, samples: Axis) -> dict[str, int]:
    """Fields of `PlaneLines` for these axes."""
    channels, outputs = node["x"].shape[3], node["y"].shape[3]
    pitch, planned = _plane_pitch(samples), _plane_lines(lines)
    return {
        "input_line_pitch": lines.pitch * channels,
        "input_sample_pitch": samples.pitch * channels,
        "output_line_pitch": lines.output_pitch * outputs,
        "output_sample_pitch": samples.output_pitch * outputs,
        "copied_lines": min(lines.input, planned - lines.padding),
        "copied_samples": min(samples.input, pitch - samples.padding),
        "output_lines": lines.output,
        "output_samples": samples.output,
        "filter_lines": lines.filter,
        "stride_line": lines.stride,
        "stride_sample": samples.stride,
        "dilation_line": lines.dilation,
        "padding_line": lines.padding,
        "padding_sample": samples.padding,
        "plane_pitch": pitch,
        "plane_bytes": planned * pitch,
    }


def tables(node: NodeView, found: DspRequantization) -> Packed:
    """Filter by lines, with zeros up to a multiple of four samples; requantisation constants."""
    return Packed(filled_lines(node, found.weights), found.table)


def filled_lines(node: NodeView, rows: Array) -> Array:
    """Weights of channels line by line, each line padded with zeros to whole words."""
    weights = line_weights(node, rows)
    filled = np.pad(weights, ((0, 0), (0, 0), (0, -weights.shape[2] % 4)))
    return np.ascontiguousarray(filled)


def line_weights(node: NodeView, rows: Array) -> Array:
    """Weights [channels][lines][samples]."""
    _, height, width, channels = node["filter"].shape
    weights = rows.reshape(channels, height, width)
    return weights.transpose(0, 2, 1) if _columns_are_lines(node) else weights


def _plane_lines(lines: Axis) -> int:
    return (lines.output - 1) * lines.stride + (lines.filter - 1) * lines.dilation + 1


def _plane_pitch(samples: Axis) -> int:
    outputs = -(-samples.output // OUTPUTS) * OUTPUTS
    return (outputs - 1) * samples.stride + -(-samples.filter // 4) * 4


def _columns_are_lines(node: NodeView) -> bool:
    """True if the kernel walks down the image."""
    _, height, width, _ = node["filter"].shape
    return height > width


def line_axes(node: NodeView) -> tuple[Axis, Axis]:
    """Axes of the image for the kernel: (across lines, along lines)."""
    down, right = axes(node)
    return (right, down) if _columns_are_lines(node) else (down, right)


def cost(node: NodeView) -> float:
    """The cost of copies to planes, and of outputs of each filter, four or a last one at once."""
    lines, samples = line_axes(node)
    copied = 1.8 * lines.input * samples.input
    words = lines.filter * -(-samples.filter // 4)
    fours, rest = divmod(samples.output, OUTPUTS)
    four = 13 + 9.3 * lines.filter + 23.5 * words
    line = 2.3 + (fours + (rest > 1)) * four + (rest == 1) * 22 * words + 7.5 * samples.output
    channel = copied + multiplier(node) * (21 + lines.output * line)
    return float(node["x"].shape[0] * node["x"].shape[3] * channel)


DSP_GENERAL = Kernel(
    "dsp_general",
    GeneralParams,
    plan,
    Packed,
    scratch={"plane": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memset",),
    cost=cost,
    code=Code(instance=490, general=1660),
)
KERNELS = with_ways("depthwise_conv_2d/i8", DSP_GENERAL, among_thresholds, listing, singling)

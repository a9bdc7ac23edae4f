"""DepthwiseConv2D of int16 by mve_lines.h, for Helium: two neighbours and eight channels at a time.

The kernel works on lines of samples: rows of pixels, or columns where those take fewer
instructions.
"""

from opsmith.op import *
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.depthwise import DEPTHWISE, WIDE, refused_multiplier

from ..i8.mve_lines import columns, in_place, walk
from ..i8.params import Axis, axes
from .mve import CHANNELS, EightChannels, blocks

MAX_STRIP = 8192  # bytes of scratch
# Instructions of a pair of samples: of each tap, each line of taps, and all else; where neighbours
# share inputs and where not.
THREES, TAPS = (10.33, 2, 33), (12, 5, 50)
# Costs of a line of pairs, a sample that is staged, a line of these, and eight channels.
CYCLES = 1.14  # of a Cortex-M55, by instructions
LINE, SAMPLE, STAGED, GROUP = 50, 5, 35, 150


@dataclass(frozen=True)
class MveLinesParams:
    """Fields that select code; everything else is in a table, so that nodes share it."""

    threes: bool  # neighbours have three taps in a line, two of which are in both


@dataclass(frozen=True)
class NarrowLines:
    """Lines of samples, which are rows or columns of pixels. Pitches are in elements."""

    batches: int
    channels: int
    input_size: int  # elements of an image
    output_size: int
    input_lines: int
    copied_samples: int  # of a line of the input
    input_line_pitch: int
    input_sample_pitch: int
    output_lines: int
    output_samples: int
    output_line_pitch: int
    output_sample_pitch: int
    filter_lines: int
    filter_samples: int
    stride_line: int
    stride_sample: int
    padding_line: int
    padding_sample: int
    line_bytes: int  # of the ring
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class MveLinesTables:
    """Constants in blocks of eight channels, of which the last may be filled up."""

    geometry: NarrowLines
    filter: NDArray[np.int8]  # [channels / 8][filter lines][filter samples][8]
    requantization: tuple[EightChannels, ...]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter for each channel, neighbouring taps, and sums of 32 bits."""
    if refused := refused_multiplier(node):
        return refused
    lines, samples = line_axes(node)
    if reason := refusal(lines, samples):
        return Refused(reason)
    found = DEPTHWISE.int16(node)
    if found.wide:
        return WIDE
    return Plan(
        MveLinesParams(threes=_has_threes(samples)),
        partial(_tables, node, found),
        {
            "strip": strip_bytes(lines, samples) // i16.size,
            "weights": 2 * lines.filter * samples.filter * CHANNELS,
        },
        partial(overlap, node),
    )


def refusal(lines: Axis, samples: Axis) -> str:
    """Reason against walking along these lines, or ""."""
    if (lines.dilation, samples.dilation) != (1, 1):
        return f"filter is dilated by {lines.dilation}x{samples.dilation}"
    if (strip := strip_bytes(lines, samples)) > MAX_STRIP:
        return f"a strip has {strip} bytes, more than {MAX_STRIP}"
    return ""


def strip_bytes(lines: Axis, samples: Axis) -> int:
    """Bytes of the lines under the filter, and of what is read after the last line."""
    return lines.filter * _line_bytes(samples) + samples.stride * CHANNELS * i16.size


def _line_bytes(samples: Axis) -> int:
    return columns(samples) * CHANNELS * i16.size


def _has_threes(samples: Axis) -> bool:
    return samples.filter == 3 and samples.stride == 1


def _tables(node: NodeView, found: WidthRequantization) -> MveLinesTables:
    lines, samples = line_axes(node)
    geometry = DEPTHWISE.params(
        NarrowLines,
        node,
        input_size=node["x"].elements // node["x"].shape[0],
        output_size=node["y"].elements // node["y"].shape[0],
        stride_sample=samples.stride,
        line_bytes=_line_bytes(samples),
        **walk(node, lines, samples),
    )
    return MveLinesTables(geometry, _by_groups(node), blocks(found))


def _by_groups(node: NodeView) -> NDArray[np.int8]:
    """Weights [channels / 8][filter lines][filter samples][8]."""
    weights: Array = node["filter"].data[0]
    turned = weights if _rows_are_lines(node) else weights.transpose(1, 0, 2)
    filled = np.pad(turned, ((0, 0), (0, 0), (0, -turned.shape[2] % CHANNELS)))
    by_group = filled.reshape(*turned.shape[:2], -1, CHANNELS).transpose(2, 0, 1, 3)
    return np.ascontiguousarray(by_group).reshape(-1)


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x, which may be one place where each sample is staged before it is
    overwritten.

    Groups of eight channels are done one after the other, so an element of x is only replaced by
    one of its group.
    """
    return {"x": Distance(in_place=True)} if in_place(node, _rows_are_lines(node)) else {}


def line_axes(node: NodeView) -> tuple[Axis, Axis]:
    """Axes of the image for the kernel: (across lines, along lines)."""
    down, right = axes(node)
    return (down, right) if _rows_are_lines(node) else (right, down)


def _rows_are_lines(node: NodeView) -> bool:
    """True if the kernel walks along rows: first it must fit, then let y replace x, then cost
    less.
    """
    down, right = axes(node)
    along_rows = (bool(refusal(down, right)), not in_place(node, True), _cost(node, down, right))
    along_columns = (
        bool(refusal(right, down)),
        not in_place(node, False),
        _cost(node, right, down),
    )
    return along_rows <= along_columns


def cost(node: NodeView) -> float:
    """Approximate cycles of a node."""
    return _cost(node, *line_axes(node))


def _cost(node: NodeView, lines: Axis, samples: Axis) -> float:
    tap, line, rest = THREES if _has_threes(samples) else TAPS
    pair = lines.filter * (samples.filter * tap + line) + rest
    computed = lines.output * (-(-samples.output // 2) * pair + LINE)
    staged = ((lines.output - 1) * lines.stride + lines.filter) * (samples.input * SAMPLE + STAGED)
    groups = -(-node["x"].shape[3] // CHANNELS)
    return CYCLES * node["x"].shape[0] * groups * (computed + staged + GROUP)


MVE_LINES = Kernel(
    "mve_lines",
    MveLinesParams,
    plan,
    MveLinesTables,
    scratch={"strip": i16, "weights": i8},
    requires={"mve"},
    cost=cost,
    code=Code(instance=880, general=910),
    pixels=2,
)
KERNELS = (MVE_LINES,)

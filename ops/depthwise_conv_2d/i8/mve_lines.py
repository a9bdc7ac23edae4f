"""DepthwiseConv2D of int8 by mve_lines.h, for Helium: a vector holds the taps of a window.

The kernel works on lines of samples: rows of pixels, or columns where those take fewer
instructions.
"""

from typing import TypeVar

from opsmith.op import *
from runtimes.cmsis.mve_packing import (
    NOT_TO_THE_RIGHT,
    VECTOR,
    FourChannels,
    channel_blocks,
    right_shifts,
)
from runtimes.core.per_channel import folded_bias
from runtimes.families.depthwise import DEPTHWISE, refused_multiplier

from .params import Axis, axes

GROUP = 8  # channels that are staged at once
BLOCK = 4  # channels that are computed at once
MAX_STRIP = 8192  # bytes of scratch
MAX_STEP = 127  # what VLDRB can add to an address
PAIR, BLOCK_LINE = 43, 40  # cycles: of a pair of samples of four channels, of a line of these
# Instructions: of a line of eight channels, of a line that is staged for these, of a sample of it;
# of all lines of eight.
LINE, STAGED, SAMPLE, ALL = 62, 26, 4.5, 110
CYCLES = 1.43  # of a Cortex-M55, by instructions

BLOCKS = partial(channel_blocks, FourChannels, order=np.arange(BLOCK))
WALK = 860  # bytes of code that instances have in common


@dataclass(frozen=True)
class LinesParams:
    """Fields that select code; everything else is in a table, so that nodes share it."""

    step: int  # bytes of a strip from one output's inputs to the next's
    linear: bool  # outputs below the zero point are not all clamped to one
    clamps: bool  # to less than int8 holds


@dataclass(frozen=True)
class LinesGeometry:
    """Lines of samples, which are rows or columns of pixels. Pitches are in bytes."""

    batches: int
    channels: int
    input_bytes: int  # of an image
    output_bytes: int
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
    padding_line: int
    padding_sample: int
    strip_bytes: int  # of a channel
    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


G = TypeVar("G", bound=LinesGeometry)


@dataclass(frozen=True)
class LinesTables:
    """Geometry, weights in the order of strips, and requantisation in blocks of channels."""

    geometry: LinesGeometry
    order: NDArray[np.uint8]  # [filter lines][16]: as tap_orders() says
    filter: NDArray[np.int8]  # [channels][samples][lines], as whole_blocks() makes it
    requantization: tuple[FourChannels, ...]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter for each channel, and neighbouring taps that a vector holds."""
    return planned(node, params_of(node), partial(tables, LinesTables, BLOCKS))


def params_of(node: NodeView) -> Callable[..., LinesParams]:
    """Function that makes the params for a step."""
    low, high = clamp_range(node)
    linear, clamps = low < node["y"].zero_point, (low, high) != (-128, 127)
    return partial(LinesParams, linear=linear, clamps=clamps)


def planned(
    node: NodeView,
    params: Callable[..., Any],
    tables: Callable[[NodeView, tuple[Array, Array]], Any],
    multipliers: Callable[[NodeView], tuple[Array, Array] | None] = right_shifts,
) -> Plan | Refused:
    """Plan for any element type, with functions that make params for a step, and tables for a
    requantisation.
    """
    if refused := refused_multiplier(node):
        return refused
    lines, samples = line_axes(node)
    if reason := refusal(node, lines, samples):
        return Refused(reason)
    requantization = multipliers(node)
    if requantization is None:
        return Refused(NOT_TO_THE_RIGHT)
    return Plan(
        params(step=samples.stride * lines.filter),
        partial(tables, node, requantization),
        {"strip": strip_size(lines, samples)},
        partial(overlap, node),
    )


def refusal(node: NodeView, lines: Axis, samples: Axis, most: int = VECTOR) -> str:
    """Reason against walking along these lines, or ""."""
    if (lines.dilation, samples.dilation) != (1, 1):
        return f"filter is dilated by {lines.dilation}x{samples.dilation}"
    if (taps := lines.filter * samples.filter) > most:
        return f"filter has {taps} taps, more than {most}"
    if (apart := samples.output_pitch * node["x"].shape[3] + BLOCK) >= 1 << 16:
        return f"outputs are {apart} bytes apart, which 16 bits do not hold"
    if (step := samples.stride * lines.filter) > MAX_STEP:
        return f"windows are {step} bytes apart, more than {MAX_STEP}"
    if (strip := strip_size(lines, samples)) > MAX_STRIP:
        return f"a strip has {strip} bytes, more than {MAX_STRIP}"
    return ""


def strip_size(lines: Axis, samples: Axis) -> int:
    """Bytes of the staged channels, and of what is read after the last channel."""
    return GROUP * _strip_bytes(lines, samples) + samples.stride * lines.filter + VECTOR


def _strip_bytes(lines: Axis, samples: Axis) -> int:
    """Bytes of one channel of a strip: the samples under the filter that a line of y needs."""
    return columns(samples) * lines.filter


def tables(
    struct: Callable[..., Any],
    blocks: Callable[..., Any],
    node: NodeView,
    requantization: tuple[Array, Array],
) -> Any:
    """Constants as a struct, with blocks of channels made of biases and a requantisation."""
    weights = node["filter"].data[0]
    taps = ordered_taps(node, weights)
    return struct(
        geometry(LinesGeometry, node),
        tap_orders(node),
        whole_blocks(taps),
        blocks(folded_bias(node, taps), *requantization),
    )


def ordered_taps(node: NodeView, weights: Array) -> Array:
    """Weights from [height][width][channels] to channel by channel, in the order of a strip."""
    by_channel = weights.transpose(2, 1, 0) if _rows_are_lines(node) else weights.transpose(2, 0, 1)
    return np.ascontiguousarray(by_channel.reshape(len(by_channel), -1))


def whole_blocks(taps: Array) -> Array:
    """Taps with zeros for channels that the last four lack, as the kernel reads four together."""
    return np.pad(taps, ((0, -len(taps) % BLOCK), (0, 0)))


def tap_orders(node: NodeView, vectors: int = 1) -> NDArray[np.uint8]:
    """Weight of a channel that each place of a strip meets, for each place of the first line."""
    lines, _ = line_axes(node)
    sample, line = np.divmod(np.arange(vectors * VECTOR), lines.filter)
    first = np.arange(lines.filter)[:, None]
    return (sample * lines.filter + (line - first) % lines.filter).astype(np.uint8)


def geometry(struct: type[G], node: NodeView, **more: int) -> G:
    """Lines of samples as a struct of `LinesGeometry`'s fields; `more` extends or replaces them."""
    lines, samples = line_axes(node)
    strip = _strip_bytes(lines, samples)
    walked = walk(node, lines, samples)
    return DEPTHWISE.params(struct, node, strip_bytes=strip, **walked, **more)


def walk(node: NodeView, lines: Axis, samples: Axis) -> dict[str, int]:
    """Sizes of x, y and the filter, under the names of a struct of lines of samples."""
    channels = node["x"].shape[3]
    return {
        "input_lines": lines.input,
        "copied_samples": max(min(samples.input, columns(samples) - samples.padding), 0),
        "input_line_pitch": lines.pitch * channels,
        "input_sample_pitch": samples.pitch * channels,
        "output_lines": lines.output,
        "output_samples": samples.output,
        "output_line_pitch": lines.output_pitch * channels,
        "output_sample_pitch": samples.output_pitch * channels,
        "filter_lines": lines.filter,
        "filter_samples": samples.filter,
        "stride_line": lines.stride,
        "padding_line": lines.padding,
        "padding_sample": samples.padding,
    }


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x, which may be one place where each sample is staged before it is
    overwritten.

    Groups of eight channels are done one after the other, so a byte of x is only replaced by one of
    its group.
    """
    return {"x": Distance(in_place=True)} if in_place(node, _rows_are_lines(node)) else {}


def cost(node: NodeView) -> float:
    """Approximate cycles of a node."""
    return _cost(node, _rows_are_lines(node))


def _cost(node: NodeView, rows: bool) -> float:
    down, right = axes(node)
    lines, samples = (down, right) if rows else (right, down)
    channels, batches = node["x"].shape[3], node["x"].shape[0]
    blocks, groups = -(-channels // BLOCK), -(-channels // GROUP)
    computed = lines.output * blocks * (-(-samples.output // 2) * PAIR + BLOCK_LINE)
    copied = groups * (lines.output * LINE + ALL + staging(lines, samples))
    return float(batches * (computed + CYCLES * copied))


def staging(lines: Axis, samples: Axis) -> float:
    """Instructions that copy the lines under the filter of up to eight channels to strips."""
    staged = (lines.output - 1) * lines.stride + lines.filter
    return staged * (samples.input * SAMPLE + STAGED)


def _rows_are_lines(node: NodeView) -> bool:
    """True if the kernel walks along rows: first it must fit, then let y replace x, then cost
    less.
    """
    down, right = axes(node)
    along_rows = (bool(refusal(node, down, right)), not in_place(node, True), _cost(node, True))
    along_columns = (
        bool(refusal(node, right, down)),
        not in_place(node, False),
        _cost(node, False),
    )
    return along_rows <= along_columns


def line_axes(node: NodeView) -> tuple[Axis, Axis]:
    """Axes of the image for the kernel: (across lines, along lines)."""
    down, right = axes(node)
    return (down, right) if _rows_are_lines(node) else (right, down)


def columns(samples: Axis) -> int:
    """Number of samples of a strip, all that a line of y needs."""
    return (samples.output - 1) * samples.stride + samples.filter


def in_place(node: NodeView, rows: bool) -> bool:
    """True if each line of x is staged before the line of y begins that overwrites it."""
    x, y = node["x"], node["y"]
    down, right = axes(node)
    lines = down if rows else right
    pixels = np.arange(min(x.shape[1] * x.shape[2], y.shape[1] * y.shape[2]))
    line = pixels // x.shape[2] if rows else pixels % x.shape[2]
    staged = np.maximum((line + lines.padding - lines.filter) // lines.stride + 1, 0)
    written = pixels // y.shape[2] if rows else pixels % y.shape[2]
    never = staged >= lines.output
    kept = x.shape[0] == 1 or x.shape == y.shape
    return bool(kept and np.all(never | (staged <= written)))


MVE_LINES = Kernel(
    "mve_lines",
    LinesParams,
    plan,
    LinesTables,
    scratch={"strip": i8},
    requires={"mve"},
    cost=cost,
    code=Code(instance=490, general=1425, slowdown=1.22, shared={"next_line": WALK}),
    pixels=2,
)
KERNELS = (MVE_LINES,)

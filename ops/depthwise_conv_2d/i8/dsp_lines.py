"""DepthwiseConv2D of int8 by dsp_lines.h: lines of five or seven weights, in planes like
dsp_general's.
"""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import multiplier
from runtimes.families.owning import among_thresholds, singling, with_ways

from .dsp_general import LineParams, line_axes, line_weights, planned, tables

TAPS, STRIDES = (5, 7), (1, 2)


@dataclass(frozen=True, kw_only=True)
class DspLinesParams(LineParams):
    """Params of dsp_general, and the words of weights of a line and of a channel."""

    filter_samples: int
    channel_words: int


def plan(node: NodeView, params: type[DspLinesParams] = DspLinesParams) -> Plan | Refused:
    """Plan like dsp_general's, for filters of five or seven samples and strides of one or two."""
    samples = line_axes(node)[1]
    if samples.filter not in TAPS or samples.stride not in STRIDES:
        step = f"{samples.filter} samples with a step of {samples.stride}"
        return Refused(f"a line of the filter has {step}, not 5 or 7 with one of 1 or 2")
    words = _channel_words(line_axes(node)[0].filter, samples.filter)
    more = {"filter_samples": samples.filter, "channel_words": words}
    found = planned(node, params, _tables, more)
    return found if isinstance(found, Refused) else replace(found, code=_code(node))


def _code(node: NodeView) -> Code:
    """Code size of an instance; the general form reads Params for each channel and each output."""
    outputs = node["y"].elements // node["y"].shape[3]
    more = node["y"].shape[3] * (300 * node["y"].shape[0] + 13 * outputs)
    return Code(instance=700, slowdown=1 + more / cost(node))


def _channel_words(lines: int, taps: int) -> int:
    """Words for the weights of a channel; of lines of five, the last weights share words."""
    return lines + -(-lines // 4) if taps == 5 else 2 * lines


def _tables(node: NodeView, found: DspRequantization) -> Packed:
    """Weights by lines: lines of five have a word each, and their last weights follow together; and
    requantisation constants.
    """
    weights = line_weights(node, found.weights)
    channels, lines, taps = weights.shape
    if taps != 5:
        return tables(node, found)
    packed: Array = np.zeros((channels, 4 * _channel_words(lines, taps)), weights.dtype)
    packed[:, : 4 * lines] = weights[:, :, :4].reshape(channels, 4 * lines)
    packed[:, 4 * lines : 5 * lines] = weights[:, :, 4]
    return Packed(packed, found.table)


def cost(node: NodeView) -> float:
    """Cost of copies, of the sums of four outputs or one of the last outputs, and of stores."""
    lines, samples = line_axes(node)
    fours, rest = divmod(samples.output, 4)
    sums = (fours + (rest > 1)) * 5.6 * lines.filter * samples.filter
    last = (rest == 1) * 14 * lines.filter
    line = sums + last + 11.5 * samples.output
    copied = 1.8 * lines.input * samples.input
    channel = copied + multiplier(node) * (125 + lines.output * line)
    return float(node["x"].shape[0] * node["x"].shape[3] * channel)


DSP_LINES = Kernel(
    "dsp_lines",
    DspLinesParams,
    plan,
    Packed,
    scratch={"plane": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memset",),
    cost=cost,
    code=Code(instance=700, general=2050),
)
KERNELS = with_ways("depthwise_conv_2d/i8", DSP_LINES, among_thresholds, singling)

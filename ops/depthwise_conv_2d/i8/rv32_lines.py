"""DepthwiseConv2D of int8 by rv32_lines.h: any filter, a channel in a plane like dsp_general's."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import Packed
from runtimes.families.depthwise import multiplier
from runtimes.families.owning import listing, owning, with_ways

from .dsp_general import OUTPUTS, LineParams, line_axes, line_weights, planned

UNROLLED = (5, 7)  # samples of filter lines whose products with neighbours have no loop


@dataclass(frozen=True, kw_only=True)
class TapParams(LineParams):
    """Params of dsp_general, and the weights of a line."""

    filter_samples: int


def plan(node: NodeView, params: type[TapParams] = TapParams) -> Plan | Refused:
    """Plan for samples that are neighbours, a limited plane, and exact requantisation."""
    return planned(node, params, tables, {"filter_samples": line_axes(node)[1].filter})


def tables(node: NodeView, found: DspRequantization) -> Packed:
    """Weights [channels][lines][samples]; and requantisation constants."""
    return Packed(np.ascontiguousarray(line_weights(node, found.weights)), found.table)


def cost(node: NodeView) -> float:
    """Cost of copies, of the sums of four outputs, and of requantisation."""
    lines, samples = line_axes(node)
    unrolled = samples.stride == 1 and samples.filter in UNROLLED
    line = samples.filter * (10.5 if unrolled else 16.0) + 8.0
    group = lines.filter * line + 30.0
    groups = lines.output * -(-samples.output // OUTPUTS)
    outputs = multiplier(node) * (groups * group + 13.0 * lines.output * samples.output + 80.0)
    copied = 4.0 * lines.input * samples.input
    return float(node["x"].shape[0] * node["x"].shape[3] * (outputs + copied))


LINES = Kernel(
    "rv32_lines",
    TapParams,
    plan,
    Packed,
    scratch={"plane": i8},
    numerics=ANY_RULE,
    requires={"rv32m"},
    copies=("memset",),
    cost=cost,
    code=Code(instance=300, general=1800, slowdown=1.05),
    pixels=0,
)
KERNELS = with_ways("depthwise_conv_2d/i8", LINES, owning, listing)

"""DepthwiseConv2D of int8 by dsp_lines.h: lines of five or seven weights, planes as dsp_general."""

from __future__ import annotations

from dataclasses import dataclass

from opsmith.op import Code, Kernel, NodeView, Plan, Refused, i8
from opsmith.runtimes.families.convolution import Packed

from .dsp_general import LineParams, line_axes, planned

TAPS, STRIDES = (5, 7), (1, 2)


@dataclass(frozen=True, kw_only=True)
class DspLinesParams(LineParams):
    """The same, and the weights of a line."""

    filter_samples: int


def plan(node: NodeView) -> Plan | Refused:
    """As dsp_general, for filters of five or seven samples and steps of one or two."""
    samples = line_axes(node)[1]
    if samples.filter not in TAPS or samples.stride not in STRIDES:
        step = f"{samples.filter} samples with a step of {samples.stride}"
        return Refused(f"a line of the filter has {step}, not 5 or 7 with one of 1 or 2")
    return planned(node, DspLinesParams, {"filter_samples": samples.filter})


def cost(node: NodeView) -> float:
    """Of what is copied, the sums of four outputs or of a last one, and what is written."""
    lines, samples = line_axes(node)
    fours, rest = divmod(samples.output, 4)
    line = 5 * samples.filter + 4
    sums = (fours + (rest > 1)) * (lines.filter * line + 25)
    last = (rest == 1) * lines.filter * 22
    written = samples.output * 16
    copied = 3 * lines.input * samples.input
    channel = lines.output * (sums + last + written) + copied + 60
    return float(node["x"].shape[0] * node["x"].shape[3] * channel)


DSP_LINES = Kernel(
    "dsp_lines",
    DspLinesParams,
    plan,
    Packed,
    scratch={"plane": i8},
    requires={"dsp"},
    copies=("memset",),
    cost=cost,
    code=Code(instance=700, general=2050, slowdown=1.1),
)

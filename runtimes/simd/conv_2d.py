"""Conv2D of int8: windows as rows, times channels in the lanes of vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from opsmith.op import KernelsFor, NodeView, Plan, Refused, i8, i32
from opsmith.runtimes.families.convolution import CONVOLUTION, refused_groups
from opsmith.runtimes.families.window import Geometry
from opsmith.runtimes.simd.instruction_sets import InstructionSet, kernels
from opsmith.runtimes.simd.requantization import Requantized, rule_of
from opsmith.runtimes.simd.rows import Rows, packed


@dataclass(frozen=True, kw_only=True)
class ConvolutionParams(Requantized, Geometry):
    """Geometry of one group of channels, bounds, and the rule of requantisation."""

    input_zero_point: int
    output_channels: int
    groups: int  # of inputs of a window, whose products are added at once


def plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """For one group of channels."""
    rule = refused_groups(node) or rule_of(CONVOLUTION, node)
    if isinstance(rule, Refused):
        return rule
    groups = -(-CONVOLUTION.inputs(node) // isa.group)
    params = CONVOLUTION.params(ConvolutionParams, node, rule=rule, groups=groups)
    return Plan(
        params, partial(packed, isa, CONVOLUTION, node), {"rows": isa.rows * groups * isa.group}
    )


def _cost(isa: InstructionSet) -> Callable[[NodeView], float]:
    return CONVOLUTION.cost(isa.per_mac, isa.per_output)


KERNELS = (
    KernelsFor(
        {"T": i8, "F": i8, "B": i32},
        kernels(
            "simd/conv_2d.h",
            "opsmith::conv_2d::simd::convolve",
            ConvolutionParams,
            Rows,
            plan,
            _cost,
            lambda isa: {"rows": isa.inputs},
        ),
    ),
)

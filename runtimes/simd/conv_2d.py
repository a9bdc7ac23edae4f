"""CONV_2D of int8 and float32: rows of windows times channels in the lanes of vectors."""

from functools import partial

from opsmith.op import *
from opsmith.runtimes.families.convolution import CONVOLUTION, refused_groups
from opsmith.runtimes.families.layer import RealClamped
from opsmith.runtimes.families.window import Geometry
from opsmith.runtimes.simd.instruction_sets import InstructionSet, kernels
from opsmith.runtimes.simd.overlaps import copied, reread
from opsmith.runtimes.simd.reals import RealWeights, infinite_weights, packed_reals, real_cost
from opsmith.runtimes.simd.requantization import Requantized, rule_of
from opsmith.runtimes.simd.rows import PackedRows, packed


@dataclass(frozen=True, kw_only=True)
class ConvolutionParams(Requantized, Geometry):
    """Geometry of one group of channels, bounds of y, and the rule of requantisation."""

    input_zero_point: int
    output_channels: int
    groups: int  # of inputs of a window, whose products are added at once


def plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan for one group of channels; Refused for several."""
    rule = refused_groups(node) or rule_of(CONVOLUTION, node)
    if isinstance(rule, Refused):
        return rule
    groups = -(-CONVOLUTION.inputs(node) // isa.group)
    params = CONVOLUTION.params(ConvolutionParams, node, rule=rule, groups=groups)
    tables, rows = partial(packed, isa, CONVOLUTION, node), isa.rows * groups * isa.group
    return Plan(params, tables, {"rows": rows}, partial(copied, node, params, isa.rows))


@dataclass(frozen=True, kw_only=True)
class RealParams(RealClamped, Geometry):
    """Geometry of one group of float32 channels, and bounds of y."""

    output_channels: int
    groups: int  # inputs of a window


def real_plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """float32 plan for one group of channels; Refused for several."""
    if refused := refused_groups(node) or infinite_weights(node, "filter"):
        return refused
    groups = CONVOLUTION.inputs(node)
    params = CONVOLUTION.params(RealParams, node, groups=groups)
    tables = partial(packed_reals, isa, CONVOLUTION, node)
    # Pixels that are rows already are not copied.
    over = partial(reread, node, params, isa.rows)
    return Plan(params, tables, {"rows": isa.rows * groups}, over)


def _cost(isa: InstructionSet) -> Callable[[NodeView], float]:
    return CONVOLUTION.cost(isa.per_mac, isa.per_output)


KERNELS = (
    KernelsFor(
        {"T": i8, "F": i8, "B": i32},
        kernels(
            "simd/conv_2d.h",
            "opsmith::conv_2d::simd::convolve",
            ConvolutionParams,
            PackedRows,
            plan,
            _cost,
            lambda isa: {"rows": isa.inputs},
        ),
    ),
    KernelsFor(
        {"T": f32, "F": f32, "B": f32},
        kernels(
            "simd/conv_2d.h",
            "opsmith::conv_2d::simd::convolve_reals",
            RealParams,
            RealWeights,
            real_plan,
            partial(real_cost, CONVOLUTION.macs, 2.5),
            lambda isa: {"rows": f32},
            suffix="_real",
            narrower=True,
        ),
    ),
)

"""Convolutions of several groups of channels, by grouped.h: the windows of each group are rows."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.layer import RealClamped
from runtimes.families.window import Geometry
from runtimes.simd.instruction_sets import InstructionSet, kernels
from runtimes.simd.reals import RealWeights, infinite_weights, packed_reals
from runtimes.simd.requantization import Requantized, rule_of
from runtimes.simd.rows import PackedRows, packed

PER_TAP = 30.0  # instructions that copy a pixel of a group


@dataclass(frozen=True, kw_only=True)
class ChannelGroups(Geometry):
    """Geometry of groups of channels."""

    output_channels: int  # of all groups
    channel_groups: int
    groups: int  # of inputs of a window, whose products are added at once


@dataclass(frozen=True, kw_only=True)
class ByteGroups(Requantized, ChannelGroups):
    """Geometry of groups of int8 channels, bounds of y, and the rule of requantisation."""

    input_zero_point: int


@dataclass(frozen=True, kw_only=True)
class RealGroups(RealClamped, ChannelGroups):
    """Geometry of groups of float32 channels, and bounds of y."""


def plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan of int8 for several groups."""
    rule = _one_group(node) or rule_of(CONVOLUTION, node)
    if isinstance(rule, Refused):
        return rule
    groups = -(-CONVOLUTION.inputs(node) // isa.group)
    params = CONVOLUTION.params(ByteGroups, node, rule=rule, **_sizes(node, groups))
    return Plan(
        params, partial(packed, isa, CONVOLUTION, node, _count(node)), _scratch(isa, params)
    )


def real_plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan of float32 for several groups."""
    if refused := _one_group(node) or infinite_weights(node, "filter"):
        return refused
    params = CONVOLUTION.params(RealGroups, node, **_sizes(node, CONVOLUTION.inputs(node)))
    tables = partial(packed_reals, isa, CONVOLUTION, node, _count(node))
    return Plan(params, tables, _scratch(replace(isa, group=1), params))


def _count(node: NodeView) -> int:
    return CONVOLUTION.groups(node)


def _one_group(node: NodeView) -> Refused | None:
    return Refused("channels are in one group") if _count(node) == 1 else None


def _sizes(node: NodeView, groups: int) -> dict[str, int]:
    return {
        "output_channels": node["y"].shape[3],
        "channel_groups": _count(node),
        "groups": groups,
    }


def _scratch(isa: InstructionSet, p: ChannelGroups) -> dict[str, int]:
    """Elements of rows, and of outputs of one group."""
    outputs = p.output_channels // p.channel_groups
    return {"rows": isa.rows * p.groups * isa.group, "pixels": isa.rows * outputs}


def _cost(per_mac: float, per_output: float, isa: InstructionSet) -> Callable[[NodeView], float]:
    """Cost of vectors, of which the last of a group may be partly idle, and of copied pixels."""

    def cost(node: NodeView) -> float:
        outputs = node["y"].shape[3] // _count(node)
        idle = -(-outputs // isa.lanes) * isa.lanes / outputs
        _, height, width, _ = node["filter"].shape
        copied = PER_TAP * height * width / outputs
        return CONVOLUTION.cost(per_mac * idle, per_output * idle + copied)(node)

    return cost


BYTES = kernels(
    "runtimes/simd/grouped.h",
    "opsmith::simd::convolve_groups",
    ByteGroups,
    PackedRows,
    plan,
    lambda isa: _cost(isa.per_mac, isa.per_output, isa),
    lambda isa: {"rows": isa.inputs, "pixels": i8},
    suffix="_groups",
    narrower=True,
)
REALS = kernels(
    "runtimes/simd/grouped.h",
    "opsmith::simd::convolve_real_groups",
    RealGroups,
    RealWeights,
    real_plan,
    lambda isa: _cost(2.5 / isa.lanes, 8 / isa.lanes, isa),
    lambda isa: {"rows": f32, "pixels": f32},
    suffix="_real_groups",
    narrower=True,
)

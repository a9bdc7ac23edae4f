"""FULLY_CONNECTED of int8 and float32: rows times channels in the lanes of vectors."""

from opsmith.op import *
from opsmith.runtimes.families.layer import RealClamped
from opsmith.runtimes.families.matmul import MATMUL, Sizes, asymmetric
from opsmith.runtimes.simd.instruction_sets import InstructionSet, kernels
from opsmith.runtimes.simd.overlaps import copied, reread
from opsmith.runtimes.simd.reals import RealWeights, packed_reals, real_cost
from opsmith.runtimes.simd.requantization import Requantized, rule_of
from opsmith.runtimes.simd.rows import PackedRows, packed


@dataclass(frozen=True, kw_only=True)
class MatrixParams(Requantized, Sizes):
    """Sizes, bounds of y, and the rule of requantisation."""

    groups: int  # of inputs of a row, whose products are added at once


def plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan for weights without a zero point; Refused for others."""
    rule = asymmetric(node) or rule_of(MATMUL, node)
    if isinstance(rule, Refused):
        return rule
    groups = -(-MATMUL.inputs(node) // isa.group)
    params = MATMUL.params(MatrixParams, node, rule=rule, groups=groups)
    tables, rows = partial(packed, isa, MATMUL, node), isa.rows * groups * isa.group
    return Plan(params, tables, {"rows": rows}, partial(copied, node, params, isa.rows))


@dataclass(frozen=True, kw_only=True)
class RealParams(RealClamped, Sizes):
    """Sizes, and bounds of y, of a float32 layer."""


def real_plan(isa: InstructionSet, node: NodeView) -> Plan:
    """float32 plan, for all weights."""
    params, tables = MATMUL.params(RealParams, node), partial(packed_reals, isa, MATMUL, node)
    return Plan(params, tables, overlap=partial(reread, node, params, isa.rows))


def _cost(isa: InstructionSet) -> Callable[[NodeView], float]:
    return MATMUL.cost(2 * isa.per_mac, isa.per_output)


KERNELS = (
    KernelsFor(
        {"T": i8, "W": i8, "B": i32},
        kernels(
            "simd/fully_connected.h",
            "opsmith::fully_connected::simd::multiply",
            MatrixParams,
            PackedRows,
            plan,
            _cost,
            lambda isa: {"rows": isa.inputs},
        ),
    ),
    KernelsFor(
        {"T": f32, "W": f32, "B": f32},
        kernels(
            "simd/fully_connected.h",
            "opsmith::fully_connected::simd::multiply_reals",
            RealParams,
            RealWeights,
            real_plan,
            partial(real_cost, MATMUL.macs, 2.5),
            suffix="_real",
            narrower=True,
        ),
    ),
)

"""FULLY_CONNECTED of bytes and float32: rows times channels in the lanes of vectors."""

from opsmith.op import *
from runtimes.families.layer import RealClamped
from runtimes.families.matmul import MATMUL, Sizes, asymmetric
from runtimes.simd.instruction_sets import HALVES, INSTRUCTION_SETS, InstructionSet, kernels
from runtimes.simd.overlaps import copied, reread
from runtimes.simd.reals import RealWeights, packed_reals, real_cost
from runtimes.simd.requantization import Requantized, rule_of
from runtimes.simd.rows import PackedHalves, PackedRows, packed, packed_halves, row_cost


@dataclass(frozen=True, kw_only=True)
class MatrixParams(Requantized, Sizes):
    """Sizes, bounds of y, and the rule of requantisation."""

    groups: int  # of inputs of a row, whose products are added at once


def plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan for int8 weights without a zero point, Refused for others, and for uint8."""
    unsigned = node["x"].dtype == u8
    rule = (None if unsigned else asymmetric(node)) or rule_of(MATMUL, node)
    if isinstance(rule, Refused):
        return rule
    groups = -(-MATMUL.inputs(node) // isa.group)
    params = MATMUL.params(MatrixParams, node, rule=rule, groups=groups)
    pack = packed_halves if unsigned else packed
    tables, rows = partial(pack, isa, MATMUL, node), isa.rows * groups * isa.group
    return Plan(params, tables, {"rows": rows}, partial(copied, node, params, isa.rows))


@dataclass(frozen=True, kw_only=True)
class RealParams(RealClamped, Sizes):
    """Sizes, and bounds of y, of a float32 layer."""


def real_plan(isa: InstructionSet, node: NodeView) -> Plan:
    """float32 plan, for all weights."""
    params, tables = MATMUL.params(RealParams, node), partial(packed_reals, isa, MATMUL, node)
    return Plan(params, tables, overlap=partial(reread, node, params, isa.rows))


def _cost(isa: InstructionSet) -> Callable[[NodeView], float]:
    return row_cost(MATMUL, isa, 2 * isa.per_mac, _idle)


def _idle(node: NodeView) -> float:
    return 56.0 if node["x"].dtype == u8 else 24.0


def _bytes(
    sets: tuple[InstructionSet, ...], tables: type[Any], suffix: str = ""
) -> tuple[Kernel, ...]:
    return kernels(
        "simd/fully_connected.h",
        "opsmith::fully_connected::simd::multiply",
        MatrixParams,
        tables,
        plan,
        _cost,
        lambda isa: {"rows": isa.inputs},
        suffix=suffix,
        sets=sets,
    )


KERNELS = (
    KernelsFor({"T": i8, "W": i8, "B": i32}, _bytes(INSTRUCTION_SETS, PackedRows)),
    KernelsFor({"T": u8, "W": u8, "B": i32}, _bytes(HALVES, PackedHalves, "_halves")),
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

"""Convolutions of bytes and float32: rows of windows times channels in the lanes of vectors."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.layer import Layer, RealClamped
from runtimes.families.window import Geometry
from runtimes.simd.grouped import BYTES, REALS
from runtimes.simd.instruction_sets import HALVES, INSTRUCTION_SETS, InstructionSet, kernels
from runtimes.simd.overlaps import copied, reread
from runtimes.simd.reals import RealWeights, infinite_weights, packed_reals, real_cost
from runtimes.simd.requantization import Requantized, rule_of
from runtimes.simd.rows import PackedHalves, PackedRows, packed, packed_halves, row_cost


@dataclass(frozen=True, kw_only=True)
class ConvolutionParams(Requantized, Geometry):
    """Geometry of one group of channels, bounds of y, and the rule of requantisation."""

    input_zero_point: int
    output_channels: int
    groups: int  # of inputs of a window, whose products are added at once


def refused_groups(layer: Layer, node: NodeView) -> Refused | None:
    """Reason against channels of x in several groups."""
    count = layer.groups(node)
    return None if count == 1 else Refused(f"{count} groups of channels, not one")


def plan(layer: Layer, isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan for one group of channels; Refused for several."""
    rule = refused_groups(layer, node) or rule_of(layer, node)
    if isinstance(rule, Refused):
        return rule
    groups = -(-layer.inputs(node) // isa.group)
    params = layer.params(ConvolutionParams, node, rule=rule, groups=groups, **_outputs(node))
    pack = packed_halves if node["x"].dtype == u8 else packed
    tables, rows = partial(pack, isa, layer, node), isa.rows * groups * isa.group
    return Plan(params, tables, {"rows": rows}, partial(copied, node, params, isa.rows))


@dataclass(frozen=True, kw_only=True)
class RealParams(RealClamped, Geometry):
    """Geometry of one group of float32 channels, and bounds of y."""

    output_channels: int
    groups: int  # inputs of a window


def real_plan(layer: Layer, isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """float32 plan for one group of channels; Refused for several."""
    if refused := refused_groups(layer, node) or infinite_weights(node, "filter"):
        return refused
    groups = layer.inputs(node)
    params = layer.params(RealParams, node, groups=groups, **_outputs(node))
    tables = partial(packed_reals, isa, layer, node)
    # Pixels that are rows already are not copied.
    over = partial(reread, node, params, isa.rows)
    return Plan(params, tables, {"rows": isa.rows * groups}, over)


def _outputs(node: NodeView) -> dict[str, int]:
    return {"output_channels": node["y"].shape[3]}


def _cost(layer: Layer, isa: InstructionSet) -> Callable[[NodeView], float]:
    return row_cost(layer, isa, isa.per_mac, _idle)


def _idle(node: NodeView) -> float:
    """Cost of idle lanes; compilers put no inputs in lanes where a pixel of x has few."""
    return 12.0 if node["x"].shape[3] >= 16 else 0.0


def byte_kernels(
    layer: Layer,
    suffix: str = "",
    sets: tuple[InstructionSet, ...] = INSTRUCTION_SETS,
    tables: type[Any] = PackedRows,
) -> tuple[Kernel, ...]:
    """Kernels of int8 for a layer of windows; with HALVES and PackedHalves, of uint8."""
    return kernels(
        "runtimes/simd/window_rows.h",
        "opsmith::simd::convolve",
        ConvolutionParams,
        tables,
        partial(plan, layer),
        partial(_cost, layer),
        lambda isa: {"rows": isa.inputs},
        suffix=suffix,
        sets=sets,
    )


def real_kernels(layer: Layer, suffix: str = "") -> tuple[Kernel, ...]:
    """Kernels of float32 for a layer of windows."""
    return kernels(
        "runtimes/simd/window_rows.h",
        "opsmith::simd::convolve_reals",
        RealParams,
        RealWeights,
        partial(real_plan, layer),
        partial(real_cost, layer.macs, 2.5),
        lambda isa: {"rows": f32},
        suffix=f"{suffix}_real",
        narrower=True,
    )


KERNELS = (
    KernelsFor({"T": i8, "F": i8, "B": i32}, (*byte_kernels(CONVOLUTION), *BYTES)),
    KernelsFor(
        {"T": u8, "F": u8, "B": i32}, byte_kernels(CONVOLUTION, "_halves", HALVES, PackedHalves)
    ),
    KernelsFor({"T": f32, "F": f32, "B": f32}, (*real_kernels(CONVOLUTION), *REALS)),
)

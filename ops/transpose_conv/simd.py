"""TransposeConv of int8 and float32 by simd.h: each phase is a convolution of stride 1."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.layer import Layer, Quantized, RealClamped
from runtimes.families.window import Geometry
from runtimes.simd.instruction_sets import InstructionSet, kernels
from runtimes.simd.reals import infinite_weights, packed_reals, real_cost
from runtimes.simd.requantization import rule_of
from runtimes.simd.rows import packed

from .geometry import FACTS, TransposedGeometry, macs
from .phases import Phase, PhaseOrigin, phases


@dataclass(frozen=True, kw_only=True)
class RealPhase(PhaseOrigin, Geometry):
    """Convolution of a phase, and the places of its pixels in y."""

    groups: int  # of inputs of a window, whose products are added at once


@dataclass(frozen=True, kw_only=True)
class BytePhase(RealPhase):
    """int8 convolution of a phase, with its rule of requantisation."""

    rule: int


@dataclass(frozen=True, kw_only=True)
class SimdParams(Quantized, TransposedGeometry):
    """Geometry, zero points, and bounds of y."""

    phases: int


@dataclass(frozen=True, kw_only=True)
class SimdRealParams(RealClamped, TransposedGeometry):
    """Geometry, and bounds of y, of float32."""

    phases: int


@dataclass(frozen=True)
class PhaseRows:
    """Weights and constants of rows.h, of one phase after the other."""

    phases: tuple[BytePhase, ...]
    weights: NDArray[np.int8]
    constants: NDArray[np.int32]


@dataclass(frozen=True)
class RealPhaseRows:
    """Weights and biases of reals.h, of one phase after the other."""

    phases: tuple[RealPhase, ...]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]


def plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan for int8 phases, each with its own rule."""
    found = []
    for phase in phases(node):
        if isinstance(rule := rule_of(_layer(phase), node), Refused):
            return rule
        groups = -(-phase.filters[0].size // isa.group)
        found.append(
            BytePhase(**vars(phase.place), **vars(phase.geometry), groups=groups, rule=rule)
        )

    def tables() -> PhaseRows:
        rows = [packed(isa, _layer(phase), node) for phase in phases(node)]
        weights, constants = ([getattr(r, name) for r in rows] for name in ("weights", "constants"))
        return PhaseRows(tuple(found), np.concatenate(weights), np.concatenate(constants))

    params = of_facts(SimdParams, node, FACTS, phases=len(found))
    return Plan(params, tables, _scratch(isa, node, max(p.groups for p in found) * isa.group))


def real_plan(isa: InstructionSet, node: NodeView) -> Plan | Refused:
    """Plan for float32 phases that all have taps: taps of zero would make NaN of infinity."""
    if refused := infinite_weights(node, "filter"):
        return refused
    strides = node.attributes["stride_height"], node.attributes["stride_width"]
    if np.any(np.less(node["filter"].shape[1:3], strides)):
        return Refused("the filter is smaller than a stride")
    all_phases = phases(node)
    params = of_facts(SimdRealParams, node, FACTS, phases=len(all_phases))
    inputs = max(phase.filters[0].size for phase in all_phases)
    return Plan(params, partial(_reals, isa, node), _scratch(isa, node, inputs))


def _reals(isa: InstructionSet, node: NodeView) -> RealPhaseRows:
    found = phases(node)
    rows = [packed_reals(isa, _layer(phase), node) for phase in found]
    return RealPhaseRows(
        tuple(
            RealPhase(**vars(e.place), **vars(e.geometry), groups=e.filters[0].size) for e in found
        ),
        np.concatenate([each.weights for each in rows]),
        np.concatenate([each.bias for each in rows]),
    )


def _layer(phase: Phase) -> Layer:
    return replace(CONVOLUTION, by_channel=lambda _: phase.filters)


def _scratch(isa: InstructionSet, node: NodeView, inputs: int) -> dict[str, int]:
    return {"rows": isa.rows * inputs, "pixels": isa.rows * node["y"].shape[3]}


def _cost(isa: InstructionSet) -> Callable[[NodeView], float]:
    return instructions(macs, isa.per_mac, isa.per_output)


def _kernels() -> Iterator[KernelsFor]:
    header, name = "ops/transpose_conv/simd.h", "opsmith::transpose_conv::"
    yield KernelsFor(
        {"T": i8, "F": i8, "B": i32},
        kernels(
            header,
            f"{name}simd_bytes",
            SimdParams,
            PhaseRows,
            plan,
            _cost,
            lambda isa: {"rows": isa.inputs, "pixels": i8},
        ),
    )
    yield KernelsFor(
        {"T": f32, "F": f32, "B": f32},
        kernels(
            header,
            f"{name}simd_reals",
            SimdRealParams,
            RealPhaseRows,
            real_plan,
            partial(real_cost, macs, 2.5),
            lambda isa: {"rows": f32, "pixels": f32},
            suffix="_real",
            narrower=True,
        ),
    )


KERNELS = tuple(_kernels())

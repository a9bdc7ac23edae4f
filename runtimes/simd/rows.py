"""Constants of rows.h, which layers of rows times channels share."""

from opsmith.op import *
from runtimes.families.layer import Layer
from runtimes.simd.instruction_sets import InstructionSet, blocks
from runtimes.simd.requantization import constants


@dataclass(frozen=True)
class PackedRows:
    """Weights and requantisation constants in the order of rows.h."""

    weights: NDArray[np.int8]  # [block][group][lane][input of the group]
    constants: NDArray[np.int32]  # [block][constant][lane]


@dataclass(frozen=True)
class PackedHalves:
    """Weights less their zero point, and constants, likewise."""

    weights: NDArray[np.int16]
    constants: NDArray[np.int32]


def row_cost(
    layer: Layer, isa: InstructionSet, per_mac: float, idle: Callable[[NodeView], float]
) -> Callable[[NodeView], float]:
    """Cost of vectors at `per_mac` a lane, and `idle` more, for each input, for a vector of idle
    lanes: where channels leave most lanes idle, reference kernels are faster than they declare, as
    compilers put their inputs in lanes.
    """

    def cost(node: NodeView) -> float:
        channels = node["y"].shape[-1]
        lanes = -(-channels // isa.lanes) * isa.lanes
        of_input = per_mac * lanes + idle(node) * (lanes - channels) / isa.lanes
        return layer.cost(of_input / channels, isa.per_output * lanes / channels)(node)

    return cost


def packed(isa: InstructionSet, layer: Layer, node: NodeView, groups: int = 1) -> PackedRows:
    """Constants of a node with a row of weights for each channel, by groups of channels."""
    return PackedRows(
        packed_weights(isa, layer, node, groups),
        constants(layer, node, -isa.flipped, isa.lanes, groups=groups),
    )


def packed_halves(isa: InstructionSet, layer: Layer, node: NodeView) -> PackedHalves:
    """Constants of a node of uint8."""
    weights = _in_groups(isa, layer.lifted_rows(node), 1)
    return PackedHalves(weights, constants(layer, node, 0, isa.lanes))


def packed_weights(
    isa: InstructionSet, layer: Layer, node: NodeView, apart: int = 1
) -> NDArray[np.int8]:
    """Weights of rows filled up with zeros: [block][group][lane][input of the group], in blocks of
    `apart` groups of channels.
    """
    return _in_groups(isa, layer.rows(node), apart)


def _in_groups(isa: InstructionSet, weights: Array, apart: int) -> Array:
    filled = np.pad(weights, ((0, 0), (0, -weights.shape[1] % isa.group)))
    groups = filled.shape[1] // isa.group
    found = blocks(filled, isa.lanes, apart).reshape(-1, isa.lanes, groups, isa.group)
    return np.ascontiguousarray(found.transpose(0, 2, 1, 3)).astype(weights.dtype).reshape(-1)

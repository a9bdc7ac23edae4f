"""Constants of reals.h, which float32 layers share."""

from opsmith.op import *
from runtimes.core.per_channel import bias_of
from runtimes.families.layer import Layer
from runtimes.simd.instruction_sets import InstructionSet, blocks


@dataclass(frozen=True)
class RealWeights:
    """Weights and biases in the order of reals.h."""

    weights: NDArray[np.float32]  # [block][input][lane]
    bias: NDArray[np.float32]  # [block][lane]


def packed_reals(isa: InstructionSet, layer: Layer, node: NodeView, groups: int = 1) -> RealWeights:
    """Constants of a node with a row of weights for each channel, by groups of channels."""
    weights = blocks(layer.rows(node), isa.lanes, groups).transpose(0, 2, 1)
    return RealWeights(
        np.ascontiguousarray(weights).reshape(-1),
        np.ascontiguousarray(blocks(bias_of(node), isa.lanes, groups)).reshape(-1),
    )


def real_cost(
    macs: Callable[[NodeView], int], per_mac: float, isa: InstructionSet
) -> Callable[[NodeView], float]:
    """Cost of a layer by vectors, the last partly idle, at `per_mac` instructions per product."""

    def cost(node: NodeView) -> float:
        channels = node["y"].shape[-1]
        filled = -(-channels // isa.lanes) * isa.lanes
        return instructions(macs, per_mac / isa.lanes, 8 / isa.lanes)(node) * filled / channels

    return cost


def infinite_weights(node: NodeView, name: str) -> Refused | None:
    """Reason why taps outside x may not be multiplied like those inside: a weight that is not
    finite.

    Sums are never -0, which adding a zero would change.
    """
    return None if np.isfinite(node[name].data).all() else Refused("a weight is not finite")

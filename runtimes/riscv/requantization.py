"""Constants of vectors.h."""

from opsmith.op import *
from runtimes.core.per_channel import bias_of, channel_multipliers
from runtimes.families.layer import Layer

PIXELS = 3  # that share a weight


@dataclass(frozen=True)
class InputsByChannel:
    """Weights and requantisation constants, by inputs and by constants."""

    weights: NDArray[np.int8]  # [input][channel]
    constants: NDArray[np.int32]  # [constant][channel]


def fixed_point(layer: Layer, node: NodeView, origin: int = 0) -> NDArray[np.int32]:
    """Bias, multiplier, and shifts to the left and to the right of each channel, for a kernel that
    subtracts `origin` from inputs. Biases wrap as sums do.
    """
    multipliers, shifts = channel_multipliers(node)
    rows = layer.rows(node).astype(np.int64)
    sums = bias_of(node) + (origin - node["x"].zero_point) * rows.sum(axis=1)
    bias = sums.astype(np.uint32).view(np.int32)
    right = np.maximum(-shifts.astype(np.int32), 0)
    return np.stack([bias, multipliers, np.maximum(shifts, 0), right]).astype(np.int32)


def strips(channels: int) -> int:
    """Blocks of channels of which eight registers of 128 bits have sums."""
    return -(-channels // 32)

"""DepthwiseConv2D of float32 by fpu_eight.h: eight neighbours, two channels each, at a time."""

from opsmith.op import *
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.real_convolution import Params, Tables

from .strips import refused_strips, strip_overlap

CHANNELS = 2  # that go together
PIXELS = 8  # neighbours in a row of y


@dataclass(frozen=True)
class WeightPairs:
    """Weights of pairs of channels, and a bias per channel."""

    filter: NDArray[np.float32]  # [pairs][3][3][2]; the last pair of odd channels is the last two
    bias: NDArray[np.float32]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for filters of three rows and columns, a stride of 1 along rows, and whole strips."""
    if refused := refused_strips(node, CHANNELS, 1):
        return refused
    if (width := node["y"].shape[2]) % PIXELS:
        return Refused(f"{width} columns of y, not a multiple of {PIXELS}")
    return Plan(
        DEPTHWISE.params(Params, node),
        partial(pairs, node),
        overlap=partial(strip_overlap, node, PIXELS, CHANNELS),
    )


def pairs(node: NodeView) -> WeightPairs:
    """Weights of two channels side by side, pair by pair."""
    found, channels = DEPTHWISE.params(Tables, node), node["x"].shape[3]
    firsts = np.minimum(np.arange(0, channels, CHANNELS), channels - CHANNELS)
    by_channel = found.filter.reshape(-1, channels)[:, firsts[:, np.newaxis] + np.arange(CHANNELS)]
    return WeightPairs(np.ascontiguousarray(by_channel.swapaxes(0, 1)), found.bias)


def cost(node: NodeView) -> float:
    """Instructions of strips of eight pixels."""
    batches, height, width, channels = node["y"].shape
    return batches * height * -(-channels // CHANNELS) * (width // PIXELS) * 425.0


FPU_EIGHT = Kernel(
    "fpu_eight",
    Params,
    plan,
    WeightPairs,
    requires={"fpu", "dsp"},
    cost=cost,
    code=Code(instance=1520, general=1760, slowdown=1.05),
)
KERNELS = (FPU_EIGHT,)

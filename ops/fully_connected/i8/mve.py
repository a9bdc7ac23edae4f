"""FullyConnected of int8 by mve.h, for Helium: four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import VECTOR, blocked, filled_rows, steps
from runtimes.core.byte_layer import product_bounds
from runtimes.core.dsp_requantization import NO_PRODUCT
from runtimes.core.high_product import ChannelSums, HighProduct, Ints, high_product
from runtimes.core.per_channel import folded_bias
from runtimes.families.matmul import MATMUL, Sizes, asymmetric, row_overlap, scales

from .params import ClampedSizes

CHANNELS = 4  # of y that the kernel computes before it writes any of them
# Bytes of an instance, of its code for a partial vector, and for fewer channels.
INSTANCE, TAIL, REST = 188, 60, 45


@dataclass(frozen=True, kw_only=True)
class MveParams(ClampedSizes):
    """Sizes, bounds of y, steps of a row, and requantisation."""

    tail: int  # inputs before the first whole vector, or 0: 16
    full_steps: int  # vectors of inputs after these
    per_channel: bool  # a multiplier for each channel, not one for all
    left: int
    right: int


@dataclass(frozen=True)
class MveTables:
    """Weights, multipliers and offsets; zeros fill channels up to a multiple of four."""

    weights: NDArray[np.int8]  # [channels / 4][step][4][inputs]
    multiplier: NDArray[np.int32]  # [channels], or [1]
    offset: NDArray[np.int32]  # [channels]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for symmetric weights, and sums with proved thresholds."""
    if refused := asymmetric(node):
        return refused
    weights = node["weights"].data
    found = requantization(node, weights, folded_bias(node, weights), i8.limits)
    if found is None:
        return NO_PRODUCT
    overlap = partial(row_overlap, node, CHANNELS)
    params = _params(node, found)
    size = INSTANCE + TAIL * (params.tail > 0) + REST * (params.channels % CHANNELS > 0)
    return Plan(params, partial(_tables, node, found), overlap=overlap, code=Code(size))


def requantization(
    node: NodeView, weights: Array, bias: Ints, inputs: tuple[int, int]
) -> HighProduct | None:
    """Constants for inputs of this range, or None where thresholds do not prove any."""
    scale, clamp = scales(node), clamp_range(node)
    wanted = np.arange(clamp[0] + 1, clamp[1] + 1)[:, None] - node["y"].zero_point - 0.5
    with np.errstate(divide="ignore"):
        guess = np.clip(wanted / scale - bias, -(2.0**40), 2.0**40).astype(np.int64)
    sums = ChannelSums(*product_bounds(weights, inputs), scale)

    def outputs(products: Ints) -> Ints:
        return MATMUL.requantized(node, products + bias)

    return high_product(sums, guess, outputs, clamp)


def _params(node: NodeView, found: HighProduct) -> MveParams:
    tail, full_steps = steps(node["weights"].shape[1])
    shifts = {"left": found.left, "right": found.right}
    return MATMUL.params(MveParams, node, tail=tail, full_steps=full_steps, **shifts)


def _tables(node: NodeView, found: HighProduct) -> MveTables:
    weights, multiplier = node["weights"].data, found.multiplier
    if len(multiplier) > 1:
        multiplier = filled_rows(multiplier, CHANNELS)
    packed = blocked(weights, weights.shape[1])
    return MveTables(packed, multiplier, filled_rows(found.offset, CHANNELS))


def of_blocks(
    base: float, per_block: float, per_output: float = 0.0
) -> Callable[[NodeView], float]:
    """Cost of outputs, and of blocks of four channels by input vectors, in Cortex-M55 cycles."""

    def cost(node: NodeView) -> float:
        p = MATMUL.params(Sizes, node)
        vectors, tail = divmod(p.depth, VECTOR)
        block = per_block + 9.7 * vectors + 19 * (tail > 0)
        return base + p.rows * (per_output * p.channels + block * -(-p.channels // CHANNELS))

    return cost


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    numerics=ANY_RULE,
    requires={"mve"},
    cost=of_blocks(34, 28),
    code=Code(INSTANCE, general=370, slowdown=1.1),
)
KERNELS = (MVE,)

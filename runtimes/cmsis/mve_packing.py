"""Constants in the order in which kernels for Helium read vectors."""

from typing import Annotated, TypeVar

from opsmith.op import *
from runtimes.core.per_channel import channel_multipliers, singles

VECTOR = 16  # bytes
NOT_TO_THE_RIGHT = "of some channel, x.scale * filter.scale / y.scale is not below 1/2"
MAX_PADDING = 256  # bytes of zeros that a filter may grow by for whole vectors of inputs
MAX_PADDING_OF_ONE = 1024  # and for a single one, which saves a quarter of all instructions


@dataclass(frozen=True)
class FourChannels:
    """Requantisation constants of four channels: biases, multipliers and right shifts."""

    bias: Annotated[tuple[int, ...], i32, 4]
    multiplier: Annotated[tuple[int, ...], i32, 4]
    shift: Annotated[tuple[int, ...], i8, 4]


@dataclass(frozen=True)
class OwnFourChannels:
    """Requantisation constants of four channels, some shifted left before the product."""

    bias: Annotated[tuple[int, ...], i32, 4]
    multiplier: Annotated[tuple[int, ...], i32, 4]
    shift: Annotated[tuple[int, ...], i8, 4]  # to the right, at most 0
    left: Annotated[tuple[int, ...], i8, 4]


@dataclass(frozen=True)
class SixteenChannels:
    """Requantisation constants of sixteen channels: biases, multipliers and right shifts."""

    bias: Annotated[tuple[int, ...], i32, 16]
    multiplier: Annotated[tuple[int, ...], i32, 16]
    shift: Annotated[tuple[int, ...], i8, 16]


@dataclass(frozen=True)
class OwnSixteenChannels:
    """Requantisation constants of sixteen channels, some shifted left before the product."""

    bias: Annotated[tuple[int, ...], i32, 16]
    multiplier: Annotated[tuple[int, ...], i32, 16]
    shift: Annotated[tuple[int, ...], i8, 16]  # to the right, at most 0
    left: Annotated[tuple[int, ...], i8, 16]


Block = TypeVar("Block", FourChannels, SixteenChannels)
OwnBlock = TypeVar("OwnBlock", OwnFourChannels, OwnSixteenChannels)


def padded_inputs(channels: int, inputs: int) -> int:
    """Number of inputs per channel, rounded up to whole vectors where this costs few bytes."""
    rest = -inputs % VECTOR
    most = MAX_PADDING_OF_ONE if inputs < VECTOR else MAX_PADDING
    return inputs + rest if rest * channels <= most else inputs


def steps(inputs: int, vector: int = VECTOR) -> tuple[int, int]:
    """(inputs before the first whole vector, vectors after the first step)."""
    return inputs % vector, (inputs - 1) // vector


def blocked(weights: Array, inputs: int, vector: int = VECTOR) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as, for each four channels, [step][4][inputs of the step].

    The first step is what is left of `inputs` by vectors, or a whole one; all others are whole.
    Zeros fill the channels up to a multiple of four, and each channel up to `inputs`. Zeros also
    follow the last block, for a vector load that reads beyond a partial step.
    """
    channels, given = weights.shape
    filled = np.zeros((-(-channels // 4) * 4, inputs), np.int8)
    filled[:channels, :given] = weights
    first = inputs - steps(inputs, vector)[1] * vector
    blocks = filled.reshape(-1, 4, inputs)
    vectors = blocks[:, :, first:].reshape(len(blocks), 4, -1, vector).transpose(0, 2, 1, 3)
    whole = np.concatenate(
        [blocks[:, :, :first].reshape(len(blocks), -1), vectors.reshape(len(blocks), -1)], axis=1
    )
    return np.concatenate([whole.reshape(-1), np.zeros(vector - first, np.int8)])


def channel_blocks(
    block: type[Block], bias: NDArray[np.int64], multiplier: Array, shift: Array, order: Array
) -> tuple[Block, ...]:
    """Constants of all channels, in blocks of len(order) channels.

    `order` says which channel of a block comes at each place; channels of multiplier 0 fill the
    last block.
    """
    rows = []
    for values, fill in ((bias, 0), (multiplier, 0), (shift, -1)):
        padded = np.pad(values, (0, -len(values) % len(order)), constant_values=fill)
        rows.append(padded.reshape(-1, len(order))[:, order].tolist())
    return tuple(block(*map(tuple, each)) for each in zip(*rows, strict=True))


def own_blocks(
    block: type[OwnBlock], order: Array, bias: NDArray[np.int64], multiplier: Array, shift: Array
) -> tuple[OwnBlock, ...]:
    """Constants of all channels in blocks as of channel_blocks(), with shifts that may go left."""
    right, left = np.minimum(shift, 0), np.maximum(shift, 0)
    lefts = np.pad(left, (0, -len(left) % len(order))).reshape(-1, len(order))[:, order].tolist()
    blocks = channel_blocks(SixteenChannels, bias, multiplier, right, order)
    return tuple(
        block(each.bias, each.multiplier, each.shift, tuple(own))
        for each, own in zip(blocks, lefts, strict=True)
    )


OWN_FOURS = partial(own_blocks, OwnFourChannels, np.arange(4))


def filled_rows(values: NDArray[np.int32], multiple: int) -> NDArray[np.int32]:
    """Vector with zeros appended up to a multiple of `multiple` elements."""
    return np.concatenate([values, np.zeros(-len(values) % multiple, np.int32)])


def right_shifts(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int8]] | None:
    """(multiplier, shift) of each channel; None unless all channels shift right by 1 to 31.

    A channel with multiplier 0 may have any shift. By the notebook's rule, multipliers are the bits
    of float32 factors, and kernels do not shift.
    """
    if node.numerics == Numerics.NOTEBOOK:
        factors = singles(node, "filter").factors
        return factors.view(np.int32), np.full(len(factors), -1, np.int8)
    multiplier, shift = _multipliers(node)
    return None if np.any(shift >= 0) else (multiplier, shift)


def own_shifts(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int8]] | None:
    """(multiplier, shift) of each channel; None where all channels shift right."""
    multiplier, shift = _multipliers(node)
    return (multiplier, shift) if np.any(shift >= 0) else None


def _multipliers(node: NodeView) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    multiplier, shift = channel_multipliers(node)
    return multiplier, np.where(multiplier == 0, np.int8(-1), shift).astype(np.int8)

"""DepthwiseConv2D of int16 by mve.h, for Helium: eight channels at a time."""

from opsmith.op import *
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.convolution import geometry, pixel_overlap
from runtimes.families.depthwise import DEPTHWISE, WIDE, refused_multiplier
from runtimes.families.window import inside

from .params import Params

CHANNELS = 8  # of a pixel that the kernel computes before it writes any of them
WIDENED = [0, 2, 4, 6, 1, 3, 5, 7]  # the channels that VMULLB makes of eight, then VMULLT


@dataclass(frozen=True)
class EightChannels:
    """Constants of Narrow for eight channels, in the order WIDENED."""

    bias: Annotated[tuple[int, ...], i32, 8]
    multiplier: Annotated[tuple[int, ...], i32, 8]


@dataclass(frozen=True)
class MveTables:
    """Filter in the model's order, and requantisation constants of eight channels each."""

    filter: NDArray[np.int8]  # [filter_height * filter_width * channels + 8]
    requantization: tuple[EightChannels, ...]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one filter for each channel, and sums of 32 bits."""
    if refused := refused_multiplier(node):
        return refused
    found = DEPTHWISE.int16(node)
    if found.wide:
        return WIDE
    return Plan(
        DEPTHWISE.params(Params, node),
        partial(tables, node, found),
        overlap=partial(pixel_overlap, node, CHANNELS),
    )


def tables(node: NodeView, found: WidthRequantization) -> MveTables:
    """Filter in the model's order, and requantisation of eight channels at a time."""
    weights = np.pad(node["filter"].data.reshape(-1), (0, CHANNELS))
    return MveTables(weights, blocks(found))


def blocks(found: WidthRequantization) -> tuple[EightChannels, ...]:
    """Requantisation of eight channels at a time; zeros fill the last block."""
    filled = np.pad(found.table, ((0, -len(found.table) % CHANNELS), (0, 0)))
    ordered = filled.reshape(-1, CHANNELS, 2)[:, WIDENED].transpose(0, 2, 1)
    return tuple(EightChannels(*map(tuple, block)) for block in ordered.tolist())


def cost(node: NodeView) -> float:
    """Approximate cycles of pixels, and of the rows and taps of their windows inside the image."""
    groups, (rows, columns) = -(-node["filter"].shape[3] // CHANNELS), geometry(node).axes
    down, right = (int(np.sum(end - first)) for first, end in map(inside, (rows, columns)))
    of_pixels = rows.output * columns.output * (80 + 45 * groups)
    of_taps = groups * down * (10 * columns.output + 9 * right)
    return float(node["x"].shape[0] * (of_pixels + of_taps))


MVE = Kernel(
    "mve",
    Params,
    plan,
    MveTables,
    requires={"mve"},
    cost=cost,
    code=Code(general=780),
)
KERNELS = (MVE,)

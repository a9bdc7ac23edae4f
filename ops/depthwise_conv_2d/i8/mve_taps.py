"""DepthwiseConv2D of int8 by mve_taps.h, for Helium: a few vectors hold the taps of a window."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import (
    NOT_TO_THE_RIGHT,
    OWN_FOURS,
    VECTOR,
    FourChannels,
    OwnFourChannels,
    own_shifts,
    right_shifts,
)
from runtimes.core.per_channel import folded_bias
from runtimes.families.depthwise import refused_multiplier
from runtimes.families.owning import owning

from .mve_lines import (
    BLOCK,
    BLOCKS,
    CYCLES,
    GROUP,
    LinesGeometry,
    geometry,
    line_axes,
    ordered_taps,
    overlap,
    refusal,
    staging,
    strip_size,
    tap_orders,
)

MOST = 4  # vectors of taps


@dataclass(frozen=True)
class TapsParams:
    """Empty params: everything is in tables, so that nodes share the code."""


@dataclass(frozen=True)
class OwnTapsParams(TapsParams):
    """Empty params of nodes in which some channels are shifted left."""


@dataclass(frozen=True)
class TapsGeometry(LinesGeometry):
    """Lines of samples, and the number of vectors of a window."""

    vectors: int
    step: int  # bytes of a strip from one output's inputs to the next's


@dataclass(frozen=True)
class TapsTables:
    """Geometry, weights in the order of strips, and requantisation in blocks of channels."""

    geometry: TapsGeometry
    order: NDArray[np.uint8]  # [filter lines][vectors][16]: as tap_orders() says
    filter: NDArray[np.int8]  # [channels][samples][lines]
    requantization: tuple[FourChannels, ...]


@dataclass(frozen=True)
class OwnTapsTables:
    """Constants like TapsTables, for channels that may shift left."""

    geometry: TapsGeometry
    order: NDArray[np.uint8]
    filter: NDArray[np.int8]
    requantization: tuple[OwnFourChannels, ...]


def plan(node: NodeView, params: type[TapsParams] = TapsParams) -> Plan | Refused:
    """Plan for one filter for each channel, and neighbouring taps in two to four vectors."""
    if refused := refused_multiplier(node):
        return refused
    if (vectors := _vectors(node)) == 1:
        return Refused("a window has taps for one vector, which mve_lines computes")
    lines, samples = line_axes(node)
    if reason := refusal(node, lines, samples, MOST * VECTOR):
        return Refused(reason)
    own = issubclass(params, OwnTapsParams)
    requantization = own_shifts(node) if own else right_shifts(node)
    if requantization is None:
        return Refused(NOT_TO_THE_RIGHT)
    struct, blocks = (OwnTapsTables, OWN_FOURS) if own else (TapsTables, BLOCKS)
    return Plan(
        params(),
        partial(_tables, node, struct, blocks, requantization),
        {
            "strip": strip_size(lines, samples) + vectors * VECTOR,
            "weights": GROUP * vectors * VECTOR,
        },
        partial(overlap, node),
    )


def _vectors(node: NodeView) -> int:
    _, height, width, _ = node["filter"].shape
    return -(-height * width // VECTOR)


def _tables(
    node: NodeView,
    struct: Callable[..., Any],
    blocks: Callable[..., Any],
    requantization: tuple[Array, Array],
) -> Any:
    lines, samples = line_axes(node)
    taps, vectors = ordered_taps(node, node["filter"].data[0]), _vectors(node)
    return struct(
        geometry(TapsGeometry, node, vectors=vectors, step=samples.stride * lines.filter),
        tap_orders(node, vectors),
        taps,
        blocks(folded_bias(node, taps), *requantization),
    )


def cost(node: NodeView) -> float:
    """Approximate cycles of a node."""
    lines, samples = line_axes(node)
    vectors, (batches, _, _, channels) = _vectors(node), node["x"].shape
    blocks, groups = -(-channels // BLOCK), -(-channels // GROUP)
    computed = blocks * (-(-samples.output // 2) * (25 * vectors + 28) + 210)
    staged = groups * (20 * vectors * lines.output + CYCLES * staging(lines, samples))
    return batches * (lines.output * computed + staged)


MVE_TAPS = Kernel(
    "mve_taps",
    TapsParams,
    plan,
    TapsTables,
    scratch={"strip": i8, "weights": i8},
    requires={"mve"},
    cost=cost,
)
MVE_TAPS_OWN = owning("depthwise_conv_2d/i8", MVE_TAPS, params=OwnTapsParams)
KERNELS = (MVE_TAPS, replace(MVE_TAPS_OWN, tables=OwnTapsTables))

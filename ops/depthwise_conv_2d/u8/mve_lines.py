"""DepthwiseConv2D of uint8 by mve_lines.h, for Helium: as int8, with one offset of all weights."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import FourChannels, channel_blocks
from runtimes.core.per_channel import folded_bias
from runtimes.families.depthwise import DEPTHWISE

from ..i8.mve_lines import (
    BLOCK,
    LinesGeometry,
    geometry,
    ordered_taps,
    planned,
    tap_orders,
    whole_blocks,
)
from ..i8.mve_lines import cost as int8_cost


@dataclass(frozen=True, kw_only=True)
class MveLinesParams:
    """Fields that select code; everything else is in a table, so that nodes share it."""

    step: int  # bytes of a strip from one output's inputs to the next's
    linear: bool  # outputs below the zero point are not all clamped to one
    offset: bool  # of the weights is not 0


@dataclass(frozen=True)
class OffsetLines(LinesGeometry):
    """Lines of samples, and the offset of all weights; the input's zero point is 128 less."""

    weights_offset: int


@dataclass(frozen=True)
class MveLinesTables:
    """Geometry, weights in the order of strips, and requantisation in blocks of channels."""

    geometry: OffsetLines
    order: NDArray[np.uint8]  # [filter lines][16]: as tap_orders() says
    filter: NDArray[np.int8]  # [channels][samples][lines], without zero point and offset
    requantization: tuple[FourChannels, ...]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for nodes that the kernel of int8 takes, and weights whose offset is a byte."""
    if (offset := _offset(node)) > 127:
        return Refused(f"weights are bytes and {offset}, more than 127")
    linear = clamp_range(node)[0] < node["y"].zero_point
    return planned(node, partial(MveLinesParams, linear=linear, offset=offset != 0), _tables)


def _offset(node: NodeView) -> int:
    """Offset of all weights, without which bytes hold the weights."""
    weights = DEPTHWISE.lifted_rows(node)
    least, greatest = int(weights.min()), int(weights.max())
    return max(greatest - 127, 0) or min(least + 128, 0)


def _tables(node: NodeView, requantization: tuple[Array, Array]) -> MveLinesTables:
    offset, weights = _offset(node), node["filter"]
    taps = ordered_taps(node, DEPTHWISE.lifted_rows(node).T.reshape(weights.shape[1:]))
    # inputs and their zero point have 128 less, which their difference does not show
    bias = folded_bias(node, taps) + 128 * taps.sum(axis=1, dtype=np.int64)
    zero_point = node["x"].zero_point - 128
    return MveLinesTables(
        geometry(OffsetLines, node, input_zero_point=zero_point, weights_offset=offset),
        tap_orders(node),
        whole_blocks((taps - offset).astype(np.int8)),
        channel_blocks(FourChannels, bias, *requantization, np.arange(BLOCK)),
    )


def cost(node: NodeView) -> float:
    """Cost of the int8 kernel, and of a second VMLADAV for each output."""
    return int8_cost(node) * 1.37


MVE_LINES = Kernel(
    "mve_lines",
    MveLinesParams,
    plan,
    MveLinesTables,
    scratch={"strip": i8},
    requires={"mve"},
    cost=cost,
    pixels=2,
)
KERNELS = (MVE_LINES,)

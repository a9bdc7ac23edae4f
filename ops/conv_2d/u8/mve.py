"""Conv2D of uint8 by mve.h, for Helium: as int8, with a multiple of the sums of windows."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import VECTOR
from runtimes.cmsis.mve_strips import Strips, filter_blocks
from runtimes.core.per_channel import folded_bias
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.layer import weights_zero_point

from ..i8.mve import Multipliers, MveFormParams, planned, walk
from ..i8.mve import cost as of_int8


@dataclass(frozen=True, kw_only=True)
class SummedStrips(Strips):
    """Strips, and the factor of the sum of a window."""

    sum_factor: int


@dataclass(frozen=True)
class MveTables:
    """Strips, and weights and requantisation in blocks of four channels; the last may overlap."""

    strips: SummedStrips  # of a pointwise convolution a single row
    blocks: NDArray[np.int32]  # as filter_blocks() makes them, of weights that are 128 less


def plan(node: NodeView) -> Plan | Refused:
    """Plan for nodes that the kernel of int8 takes."""
    return planned(node, _tables)


def _tables(node: NodeView, multipliers: Multipliers) -> MveTables:
    lifted = CONVOLUTION.lifted_rows(node)
    # inputs and their zero point are both 128 less, and their difference is as before
    bias = folded_bias(node, lifted) + 128 * lifted.sum(axis=1, dtype=np.int64)
    filters = (node["filter"].data.astype(np.int16) - 128).astype(np.int8)
    factor = 128 - weights_zero_point(node["filter"])
    return MveTables(
        CONVOLUTION.params(SummedStrips, node, **walk(node), sum_factor=factor),
        filter_blocks(filters, bias, *multipliers),
    )


def cost(node: NodeView) -> float:
    """Cycles of the kernel of int8, and of the sums of windows."""
    pixels = node["y"].elements // node["y"].shape[3]
    return of_int8(node) + pixels * (100.0 + 3.0 * -(-CONVOLUTION.inputs(node) // VECTOR))


MVE = Kernel(
    "mve",
    MveFormParams,
    plan,
    MveTables,
    scratch={"strip": i8},
    requires={"mve"},
    cost=cost,
    pixels=2,
)
KERNELS = (MVE,)

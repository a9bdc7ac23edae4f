"""LSTM of int16 by dsp.h: the gates of two cells at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_packing import interleaved_in_order
from runtimes.cmsis.dsp_padding import PaddedRows, copied_words, whole_words

from ..cell import by_cells, macs
from .narrow import MATRICES, NarrowGateSums, narrow_sums
from .params import FACTS, Cells

ROWS = 8  # gates that the kernel multiplies at once


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, Cells):
    """Sizes, and requantisation of products, states and sums."""

    x_multiplier: Annotated[tuple[int, ...], i32, 4]  # Q32, of sums of x
    h_multiplier: Annotated[tuple[int, ...], i32, 4]
    padded_cells: int  # elements of the previous output, filled up to whole words


@dataclass(frozen=True)
class DspTables:
    """Weights, biases and samples for dsp.h: the four gates of each cell together."""

    weights: NDArray[np.int8]  # [two cells][depth / 2][gate pair][2 x 2 bytes]
    recurrent: NDArray[np.int8]
    bias: NDArray[np.int32]  # [cells][4]
    samples: NDArray[np.uint16]  # of the logistic function, times 2^16


def plan(node: NodeView) -> Plan | Refused:
    """Plan for sums of 32 bits, with copies of rows that are no whole words."""
    found = narrow_sums(node)
    if isinstance(found, Refused):
        return found
    depth, cells = FACTS["depth"](node), FACTS["cells"](node)
    params = of_facts(
        DspParams,
        node,
        FACTS,
        x_multiplier=found.x_multiplier,
        h_multiplier=found.h_multiplier,
        padded_depth=whole_words(depth, i16.size),
        padded_cells=whole_words(cells, i16.size),
    )
    scratch = {"x": copied_words(depth, i16.size), "h": copied_words(cells, i16.size)}
    return Plan(params, partial(_tables, node, found), scratch)


def _tables(node: NodeView, found: NarrowGateSums) -> DspTables:
    weights, recurrent = (
        interleaved_in_order(by_cells(FACTS[name](node)), ROWS) for name in MATRICES
    )
    return DspTables(weights, recurrent, found.bias, FACTS["samples"](node))


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    DspTables,
    scratch={"x": i16, "h": i16},
    requires={"dsp"},
    copies=("memcpy", "memset"),  # of rows that are no whole words; of sums
    cost=instructions(macs, 1.32, 350.0),
    code=Code(1060, general=1750, slowdown=1.46),
)
KERNELS = (DSP,)

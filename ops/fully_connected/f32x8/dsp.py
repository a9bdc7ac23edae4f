"""FullyConnected of float32 by int8 weights by dsp.h: eight channels at a time."""

from opsmith.op import *
from runtimes.cmsis.dsp_dynamic_range import ROW_OF_REALS, by_rows
from runtimes.cmsis.dsp_packing import UNPAIRED, part_of_inputs, unpaired
from runtimes.cmsis.dsp_padding import PaddedRows, products_of_parts, whole_words
from runtimes.core.vector_activation import NUMBERS
from runtimes.families.dynamic_range import real_rows
from runtimes.families.matmul import MATMUL, PackedMatrix, row_overlap

from . import Params, has_negative_zero

CHANNELS = 8  # of y whose sums are made together


@dataclass(frozen=True, kw_only=True)
class DspParams(PaddedRows, Params):
    """Sizes, activation, quantisation of rows, and facts about biases and sums."""

    part: int  # inputs whose sums fit 24 bits
    negative_zero: bool  # among the biases


def plan(node: NodeView) -> Plan | Refused:
    """Plan for weights that fit in pairs."""
    weights = node["weights"].data
    if unpaired(weights).any():
        return UNPAIRED
    part = part_of_inputs(weights, i8.limits)
    params = MATMUL.params(DspParams, node, **facts(node, part))
    padded = params.padded_depth
    return Plan(
        params,
        lambda: PackedMatrix(*by_rows(real_rows(MATMUL, node), part)),
        {"row": padded, "products": products_of_parts(padded, part)},
        partial(row_overlap, node, params.channels),
    )


def facts(node: NodeView, part: int) -> dict[str, int | bool]:
    """Fields of DspParams that are neither facts of layers nor attributes."""
    return {
        "part": part,
        "activation": NUMBERS[node.attributes["activation"]],
        "padded_depth": whole_words(node["weights"].shape[1]),
        "negative_zero": has_negative_zero(node),
    }


def rows_cost(node: NodeView) -> float:
    """Cost of finding the range of rows, and of quantising them."""
    asymmetric = node.attributes["asymmetric_quantize_inputs"]
    rows = node["x"].elements // node["weights"].shape[1]
    of_element, of_row = (15.0, 600) if asymmetric else (15.5, 400)
    return of_element * node["x"].elements + of_row * rows


def cost(node: NodeView) -> float:
    """Cost of products and stores, by eight channels, and of quantising rows."""
    channels, depth = node["weights"].shape
    rows = node["x"].elements // depth
    blocks = -(-channels // CHANNELS)
    products = blocks * (CHANNELS * 1.06 * whole_words(depth) + 60)
    return float(rows * (products + 20 * channels)) + rows_cost(node)


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    PackedMatrix,
    scratch={"row": i8, "products": i32},
    requires={"dsp", "fpu"},
    cost=cost,
    code=Code(130, general=400 + 2690, slowdown=1.05, shared=ROW_OF_REALS),
)
KERNELS = (DSP,)

"""SOFTMAX kernels that call CMSIS-NN."""

from opsmith.op import *
from runtimes.cmsis.cmsis_nn import nn_kernels
from runtimes.core.fixed_point import quantize_multiplier

DIFFERENCE_BITS = 5  # integer bits of a scaled difference from the largest element, Q5.26
LARGEST_STEP = 16  # of a difference, scaled by beta: more does not fit Q5.26
MAX_DEPTH = 511  # with more elements, a shift exceeds 31, which CMSIS-NN cannot do
COSTS = {"mve": per_element(449.0), "dsp": per_element(417.0)}


@dataclass(frozen=True)
class NnSoftmax:
    """Arguments of arm_softmax_s8: row sizes, and multiplier, shift and least of differences."""

    rows: int
    depth: int  # elements of a row
    multiplier: int  # Q31, of a difference from the largest element, which becomes Q5.26
    shift: int
    least: int  # the difference below which an exponential is 0


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Plan for scales within the library's shifts, and rows so short that it shifts shares by less
    than 32; else Refused.
    """
    depth = node["x"].shape[-1]
    step = float(node.attributes["beta"] * node["x"].scale)
    if not step < LARGEST_STEP:
        return Refused(f"beta times the scale of x is {step:.3g}, not below {LARGEST_STEP}")
    if depth > MAX_DEPTH:
        return Refused(f"rows have {depth} elements, more than {MAX_DEPTH}")
    scale = step * (1 << (31 - DIFFERENCE_BITS))
    multiplier, shift = quantize_multiplier(scale)
    reached = math.floor(((1 << DIFFERENCE_BITS) - 1) * (1 << 26) / (1 << shift))
    params = NnSoftmax(node["x"].elements // depth, depth, multiplier, shift, -reached)
    # row by row, and in its last pass element by element: y may lie on x
    return Plan(params, overlap=partial(dict, x=Distance(forward=0)))


KERNELS = nn_kernels({"T": i8, "U": i8}, NnSoftmax, plan, COSTS)

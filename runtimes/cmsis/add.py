"""ADD kernels that call CMSIS-NN."""

from opsmith.op import *
from runtimes.cmsis.cmsis_nn import nn_kernels
from runtimes.families.sums import LEFT_SHIFT, SumScales, sum_scales

COSTS = {"mve": per_element(13.8), "dsp": per_element(81.7)}


@dataclass(frozen=True, kw_only=True)
class NnAdd(SumScales):
    """Arguments of arm_elementwise_add_s8: multipliers are Q31, shifts are powers of two."""

    elements: int
    left_shift: int  # bits of headroom that both addends are scaled up by


def plan(node: NodeView, core: str) -> Plan | Refused:
    """Plan for addends of one shape; Refused where a, b and y have different shapes."""
    a, b, y = node["a"], node["b"], node["y"]
    if not a.elements == b.elements == y.elements:
        return Refused(f"a {a.type} and b {b.type} are not of one shape")
    scales = vars(sum_scales(node))
    return Plan(NnAdd(**scales, elements=y.elements, left_shift=LEFT_SHIFT[i8]))


KERNELS = nn_kernels({"T": i8}, NnAdd, plan, COSTS)

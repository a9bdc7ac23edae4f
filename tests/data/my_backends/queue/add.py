"""Add of equally scaled tensors of one shape, computed from a row of a table."""

from opsmith.op import *


@dataclass(frozen=True)
class Sums:
    """How many elements are added, and what is added to each sum before it is clamped."""

    elements: int
    offset: int
    low: int
    high: int


def plan(node: NodeView) -> Plan | Refused:
    """Sums of activations, whose elements need no factors."""
    a, b, y = node["a"], node["b"], node["y"]
    if a.constant is not None or b.constant is not None:
        return Refused("an input is constant: the table has only addresses in the arena")
    if not (a.shape == b.shape == y.shape and a.scale == b.scale == y.scale):
        return Refused("shapes or scales differ")
    offset = y.zero_point - a.zero_point - b.zero_point
    return Plan(Sums(y.elements, offset, *clamp_range(node)))


QUEUED = Kernel("queued", params=Sums, plan=plan, cost=per_element(3.0), code=Code(0, 0))
KERNELS = (KernelsFor({"T": i8}, (QUEUED,)),)

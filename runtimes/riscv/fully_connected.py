"""FULLY_CONNECTED of int8: output channels in the lanes of vectors, a row at a time."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization, Owning, Shifts
from runtimes.families.layer import Clamped
from runtimes.families.matmul import MATMUL, Sizes, asymmetric, row_overlap
from runtimes.riscv.requantization import InputsByChannel, strips


@dataclass(frozen=True, kw_only=True)
class Params(Clamped, Sizes):
    """Sizes, bounds of y, and the shift of sums."""

    left_shift: int


def plan(node: NodeView) -> Plan | Refused:
    """Plan for symmetric weights, and sums with proved products of 64 bits."""
    if refused := asymmetric(node):
        return refused
    found = MATMUL.long_products(node, Shifts)
    if isinstance(found, Refused):
        found = MATMUL.long_products(node, Owning)
    if isinstance(found, Refused):
        return found
    params = MATMUL.params(Params, node, left_shift=found.left)
    return Plan(params, partial(tables, found), overlap=partial(row_overlap, node))


def tables(found: DspRequantization) -> InputsByChannel:
    """Weights by inputs, and multipliers, both halves of offsets, and shifts to the right."""
    right = found.table[:, 1] & 31 if found.own else np.full(len(found.table), found.right)
    constants = np.vstack([found.table.T, right]).astype(np.int32)
    return InputsByChannel(np.ascontiguousarray(found.weights.T), constants)


def cost(node: NodeView) -> float:
    """Cost of strips of channels of a row, in instructions of vectors of 128 bits."""
    p = MATMUL.params(Sizes, node)
    return p.rows * (20.0 + strips(p.channels) * (7.0 * p.depth + 55.0))


RVV = Kernel(
    "rvv",
    Params,
    plan,
    InputsByChannel,
    numerics=ANY_RULE,
    requires={"zve32x"},
    cost=cost,
)
KERNELS = (KernelsFor({"T": i8, "W": i8, "B": i32}, (RVV,)),)

"""Softmax of int8 by integers.h: like products.h, without a library of floats."""

from opsmith.op import *

from .products import products
from .rules import overlap, table

LEAST = np.float32(2.0**-100)  # that runtimes/core/positive_floats.h takes


@dataclass(frozen=True)
class IntegerRows(Rows):
    """Rows of bytes, and the scale of y as bits of float32."""

    y_scale: int  # bits of float32


@dataclass(frozen=True)
class IntegerTables:
    """Tables of exponentials as bits of float32: coarse and fine factors, and corrections."""

    coarse: NDArray[np.uint32]  # [16], of every sixteenth difference
    fine: NDArray[np.uint32]  # [16], of the first differences
    left: NDArray[np.int8]  # [256], units of the last place


def plan(node: NodeView) -> Plan | Refused:
    """Plan for the exponentials of products.h, if all are at least 2^-100."""
    found = products(node)
    if isinstance(found, Refused):
        return found
    if table(node).min() < LEAST:
        return Refused("some exponentials are below 2^-100")
    tables = IntegerTables(found.coarse.view(np.uint32), found.fine.view(np.uint32), found.left)
    y_scale = int(np.float32(node["y"].scale).view(np.int32))
    rows = by_name(Rows)(node)
    params = IntegerRows(**vars(rows), y_scale=y_scale)
    return Plan(params, lambda: tables, overlap=lambda: overlap(node))


KERNEL = Kernel(
    "integers",
    IntegerRows,
    plan,
    IntegerTables,
    excludes={"fpu", "avx2", "neon_dot"},
    numerics=frozenset({Numerics.NOTEBOOK}),
    cost=instructions(row_count, 60.0, 48.0),  # products.h takes more where floats are functions
)
KERNELS = (KernelsFor({"T": i8, "U": i8}, (KERNEL,)),)

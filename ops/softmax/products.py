"""Softmax of bytes by products.h: exponentials in single precision as products of two."""

from opsmith.op import *

from .rules import TableRows, overlap, table

FINE = 16  # differences between two coarse ones


@dataclass(frozen=True)
class ProductTables:
    """Tables of float32 exponentials: coarse and fine factors, and corrections of products."""

    coarse: NDArray[np.float32]  # [16], of every sixteenth difference
    fine: NDArray[np.float32]  # [16], of the first differences
    left: NDArray[np.int8]  # [256], units of the last place


def plan(node: NodeView) -> Plan | Refused:
    """Plan for exponentials near products of a coarse and a fine one, from which rounded exponents
    make them differ.
    """
    found = products(node)
    if isinstance(found, Refused):
        return found
    return Plan(by_name(TableRows)(node), lambda: found, overlap=lambda: overlap(node))


def products(node: NodeView) -> ProductTables | Refused:
    """Tables, or Refused where some exponential is too far from its product."""
    wanted = table(node)
    coarse, fine = wanted[::FINE], wanted[:FINE]
    with np.errstate(under="ignore"):
        products = np.outer(coarse, fine).reshape(-1)
    left = wanted.view(np.int32) - products.view(np.int32)
    if np.any((left < i8.limits[0]) | (left > i8.limits[1])):
        return Refused("some exponentials are far from products of two others")
    return ProductTables(np.ascontiguousarray(coarse), fine, left.astype(np.int8))


KERNEL = Kernel(
    "products",
    TableRows,
    plan,
    ProductTables,
    numerics=OTHER_RULES,
    cost=instructions(row_count, 60.0, 50.0),
)
KERNELS = tuple(KernelsFor({"T": dtype, "U": dtype}, (KERNEL,)) for dtype in (i8, u8))

"""Functions of two byte tensors of which one varies: a table has the value of each element.

The other tensor is a constant with one value, or the same tensor.
"""

from opsmith.op import *
from runtimes.families.lookup import Bytes, UnsignedBytes

Evaluate = Callable[[NodeView, Sequence[Array]], Sequence[Array]]


@dataclass(frozen=True)
class OneVaries:
    """Number of elements, and whether the varying ones are of b."""

    elements: int
    b_varies: bool


def one_varies(dtype: DType, evaluate: Evaluate) -> Kernel:
    """Kernel of int8 or uint8 that reads a table of 256 bytes, which its plan counts as growth."""
    tables = Bytes if dtype == i8 else UnsignedBytes

    def table(node: NodeView, varies: str) -> Bytes | UnsignedBytes:
        every = np.arange(256).astype(np.uint8).view(dtype.numpy)
        same = node["a"].id == node["b"].id
        operands = [
            every if same or name == varies else np.full_like(every, node[name].data.flat[0])
            for name in "ab"
        ]
        return tables(evaluate(node, operands)[0])

    def plan(node: NodeView) -> Plan | Refused:
        varies = _varying(node)
        if not varies:
            return Refused("a and b are different tensors, and neither is a constant of one value")
        params = OneVaries(node["y"].elements, varies == "b")
        over = partial(elementwise, node)
        return Plan(params, partial(table, node, varies), overlap=over, growth=256)

    return Kernel(
        "table",
        OneVaries,
        plan,
        tables,
        cost=per_element(6.5),
        code=Code(instance=80, general=90, slowdown=1.0),
        header="runtimes/families/lookup.h",
        function="opsmith::lookup::bytes_of_one",
        arguments=("p", "tables.values", "in.a", "in.b", "out.y"),
    )


def _varying(node: NodeView) -> str:
    """Operand of which y is a function alone, or ""."""
    for varies, other in ("ab", "ba"):
        same = node[varies].id == node[other].id
        if node[varies].elements == node["y"].elements and (same or _has_one_value(node, other)):
            return varies
    return ""


def _has_one_value(node: NodeView, name: str) -> bool:
    return node[name].constant is not None and len(np.unique(node[name].data)) == 1

"""Pack: every axis and type; tensors that become parts of the output, and tensors that cannot."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import Shape, moving


def pack(x: Shape, axis: int, count: int = 3, stated: int = 0, **others: Any) -> Build:
    """Packing of `count` tensors to build."""
    shape = [*x]
    shape.insert(axis if axis >= 0 else len(x) + 1 + axis, count)
    given = {f"x{i}": x for i in range(count)}
    return moving("PACK", given, [shape], {"axis": axis, "values_count": stated or count}, **others)


def twice(m: ModelWriter) -> None:
    """Add a packing of one tensor in two places, and a constant."""
    x, y = m.input("x", (4, 4), "int8", 0.5), m.tensor("y", (3, 4, 4), "int8", 0.5)
    k = m.constant("k", np.arange(16, dtype=np.int8).reshape(4, 4), 0.5)
    m.node("PACK", [x, k, x], [y], {"axis": 0, "values_count": 3}, version=2)
    m.output(y)


TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint32", "float32")


class TestPack(OpTests):
    cases = (
        *(Case(dtype, pack((2, 5), 1, dtype=dtype)) for dtype in TYPES),
        Case("rows", pack((2, 8), 0)),
        Case("columns", pack((2, 5), 2)),
        Case("from_behind", pack((2, 5), -1)),
        Case("one", pack((2, 5), 0, 1)),
        Case("scalars", pack((), 0)),
        Case("twice", twice),
    )
    rejected = (
        refused("stated", pack((3, 5), 0, stated=2), "values_count is 2 for 3 tensors"),
        refused("scale", pack((3, 5), 0, scale={"x1": 0.25}), "tensor 1 of x must be"),
    )

"""Cumsum: every type, axis and direction, against LiteRT, which has no sums of int8."""

from itertools import product

from opsmith.testing.op_tests import *

BOTH = (False, True)


def cumsum(
    x: Sequence[int] = (3, 5, 4),
    axis: int | Sequence[int] = 1,
    dtype: str = "int32",
    exclusive: bool = False,
    reverse: bool = False,
) -> Build:
    """CUMSUM to build."""
    given: dict[str, Given] = {"x": (x, dtype), "axis": np.array(axis, np.int32)}
    options = {"exclusive": exclusive, "reverse": reverse}
    return one_node("CUMSUM", given, {"y": (x, dtype)}, options)


def of_bytes(x: Sequence[int] = (3, 5, 4), y_scale: float = 0.07, **options: bool) -> Build:
    """CUMSUM of int8 to build."""
    given: dict[str, Given] = {"x": (x, "int8", 0.05, 3), "axis": np.array(1, np.int32)}
    return one_node("CUMSUM", given, {"y": (x, "int8", y_scale, -7)}, options)


class TestCumsum(OpTests):
    cases = (
        *(
            Case(f"{dtype}_{exclusive}_{reverse}", cumsum((3, 5, 4), 1, dtype, exclusive, reverse))
            for dtype, exclusive, reverse in product(("int32", "int64", "float32"), BOTH, BOTH)
        ),
        Case("first", cumsum(axis=0, dtype="float32")),
        Case("last", cumsum((2, 3, 300), -1, "float32")),
        Case("rank_1", cumsum((17,), [0])),
        Case("rank_6", cumsum((2, 1, 3, 2, 2, 2), 2, reverse=True)),
        Case("one_element", cumsum((1,), 0, "float32")),
        Case("of_constant", of_constants(cumsum())),
    )
    beyond_litert = (
        *(
            Case(f"int8_{exclusive}_{reverse}", of_bytes(exclusive=exclusive, reverse=reverse))
            for exclusive, reverse in product(BOTH, BOTH)
        ),
        Case("int8_wraps", of_bytes((2, 40))),
        Case("int8_saturates", of_bytes(y_scale=1e-3)),
    )
    rejected = (
        refused("ratio", of_bytes(y_scale=1e-8), "x.scale / y.scale must be below 2^19"),
        refused("unquantised", cumsum(dtype="int8"), "x must be quantised per tensor"),
        refused("axis_3", cumsum(axis=3), "has no axis 3"),
        refused("axes", cumsum(axis=(0, 1)), "must be one number"),
        refused("scalar", cumsum((), 0), "has no axis 0"),
    )

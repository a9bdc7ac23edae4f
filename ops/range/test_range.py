"""Range: every type, both directions, and sums of floats, against LiteRT."""

from opsmith.testing.op_tests import *

Number = int | float


def steps(
    start: Number, limit: Number, delta: Number, size: int, dtype: str = "int32", rank: int = 0
) -> Build:
    """RANGE of constants to build."""
    numbers = {"start": start, "limit": limit, "delta": delta}
    given = {name: np.full((1,) * rank, each, dtype) for name, each in numbers.items()}
    return one_node("RANGE", given, {"y": ((size,), dtype)})


def of_input(m: ModelWriter) -> None:
    start, delta = (m.constant(f"c{n}", np.array(n, np.int32)) for n in range(2))
    limit = m.input("limit", (), "int32")
    m.output(m.value("RANGE", [start, limit, delta], m.tensor("y", (1,), "int32", signature=(-1,))))


def gathered(m: ModelWriter) -> None:
    """Add a gather of every other element of an input, from the last on, by a range."""
    operands = [m.constant(f"c{n}", np.array(n, np.int32)) for n in (4, -1, -2)]
    x, numbers, y = m.input("x", (5,)), m.tensor("numbers", (3,), "int32"), m.tensor("y", (3,))
    m.node("RANGE", operands, [numbers])
    m.node("GATHER", [x, numbers], [y])
    m.output(y, numbers)


class TestRange(OpTests):
    cases = (
        *(Case(dtype, steps(1, 8, 3, 3, dtype)) for dtype in ("int32", "int64", "float32")),
        Case("down", steps(5, -1, -2, 3)),
        Case("one", steps(3, 4, 7, 1)),
        Case("to_the_end", steps(2**31 - 5, 2**31 - 1, 4, 1)),
        Case("wide", steps(2**40, 2**40 + 9, 4, 3, "int64")),
        Case("sums", steps(0.1, 100, 0.7, 143, "float32")),
        Case("down_by_floats", steps(1, -1, -0.3, 7, "float32")),
        Case("gathered", gathered),
        Case("absorbed", steps(1e8, 1e8 + 50, 1, 48, "float32")),
    )
    rejected = (
        refused("of_input", of_input, "'limit' must be a constant"),
        refused("wrong_way", steps(5, 0, 1, 1), "no steps of 1 lead from 5 to 0"),
        refused("no_step", steps(0, 5, 0, 1), "no steps of 0 lead from 0 to 5"),
        refused("nan", steps(0, np.nan, 1, 1, "float32"), "no steps of 1.0 lead from 0.0 to nan"),
        refused("endless", steps(0, np.inf, 1, 1, "float32"), "are too many"),
        refused("vector", steps(0, 5, 1, 5, rank=1), "must be one number"),
    )

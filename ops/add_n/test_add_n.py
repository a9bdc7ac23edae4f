"""AddN: two inputs and more, against LiteRT, which has no sums of int8."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import Shape, moving


def add_n(shape: Shape, count: int, dtype: str) -> Build:
    """ADD_N of `count` tensors to build."""
    given = {f"x{i}": shape for i in range(count)}
    return moving("ADD_N", given, [shape], dtype=dtype, version=1)


def infinite(model: ModelWriter) -> None:
    """Add an ADD_N of floats whose sums leave the range of floats, before and after others."""
    largest, far = np.finfo(np.float32).max, np.inf
    rows = (
        [largest, largest, far, far, -far, far],
        [largest, -largest, 1, -far, 2, far],
        [-largest, 1, -far, 0, largest, -far],
    )
    terms = [model.input("x", (6,), "float32")]
    terms += [model.constant(f"c{i}", np.array(row, np.float32)) for i, row in enumerate(rows)]
    model.output(model.value("ADD_N", terms, model.tensor("y", (6,), "float32")))


def of_bytes(
    count: int, x_scales: tuple[float, ...] = (0.05,), x_zero_point: int = 3, y_scale: float = 0.1
) -> Build:
    """ADD_N of int8 tensors to build."""

    def build(model: ModelWriter) -> None:
        scales = [x_scales[i % len(x_scales)] for i in range(count)]
        terms = [
            model.input(f"x{i}", (40,), "int8", scale, x_zero_point)
            for i, scale in enumerate(scales)
        ]
        model.output(model.value("ADD_N", terms, model.tensor("y", (40,), "int8", y_scale, -7)))

    return build


class TestAddN(OpTests):
    cases = cases(
        int32=add_n((3, 7), 3, "int32"),
        float32=add_n((3, 7), 4, "float32"),
        two=add_n((17,), 2, "float32"),
        rank_6=add_n((2, 1, 2, 1, 2, 1), 2, "float32"),
        scalars=add_n((), 3, "int32"),
        infinite=infinite,
    )
    beyond_litert = (
        Case("int8", of_bytes(3)),
        Case("int8_saturates", of_bytes(2, y_scale=1e-3)),
        Case("int8_wraps", of_bytes(20, x_zero_point=-128)),
    )
    rejected = (
        refused(
            "shapes",
            moving("ADD_N", {"a": (2,), "b": (3,)}, [(2,)], dtype="int32", version=1),
            "shapes (2,) and (3,) differ",
        ),
        refused("one", add_n((2,), 1, "int32"), "x is one tensor"),
        refused("unlike", of_bytes(2, (0.5, 0.25)), "all of x must be quantised alike"),
        refused("ratio", of_bytes(2, y_scale=1e-8), "x.scale / y.scale must be below 2^19"),
    )

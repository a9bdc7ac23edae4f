"""OneHot: every type of indices and elements, and every axis, against LiteRT."""

from itertools import product

from opsmith.testing.op_tests import *

DTYPES = ("bool", "int8", "uint8", "int32", "int64", "float32")


def one_hot(
    x: Sequence[int] | Array = (2, 3),
    axis: int = -1,
    dtype: str = "int32",
    index: str = "int32",
    depth: int | Sequence[int] = 5,
    value: Sequence[int] = (),
    y: Sequence[int] | None = None,
    scales: Sequence[float | tuple[()]] = ((),) * 3,
) -> Build:
    """ONE_HOT to build, whose values are inputs; indices are constant if given.

    The scales are those of the values and of y.
    """
    given: Any = x if isinstance(x, np.ndarray) else (x, index)
    shape = x.shape if isinstance(x, np.ndarray) else x
    sizes = np.array(depth, np.int32)
    at = len(shape) if axis < 0 else axis
    made = (*shape[:at], int(sizes.reshape(-1)[0]), *shape[at:]) if y is None else y
    of_on, of_off, of_y = scales
    values = {"on": (value, dtype, of_on), "off": (value, dtype, of_off)}
    inputs = {"x": given, "depth": sizes, **values}
    return one_node("ONE_HOT", inputs, {"y": (made, dtype, of_y)}, {"axis": axis})


INDICES = np.array([[0, 4, 2], [5, -1, 3]])


class TestOneHot(OpTests):
    cases = (
        *(
            Case(f"{index}_{dtype}", one_hot(INDICES.astype(index), -1, dtype))
            for index, dtype in product(("int32", "int64"), DTYPES)
        ),
        Case("indices_of_input", one_hot((7,), dtype="int8")),
        Case("wide_indices_of_input", one_hot((7,), dtype="int8", index="int64")),
        Case("first", one_hot(INDICES.astype(np.int32), 0, "int8")),
        Case("middle", one_hot(INDICES.astype(np.int32), 1, "float32", depth=[4])),
        Case("scalar", one_hot((), dtype="float32")),
        Case("one_element", one_hot((1,), depth=1)),
        Case("scales", one_hot((3,), dtype="int8", scales=(0.004, 4e-9, 0.004))),
    )
    rejected = (
        refused("axis_3", one_hot(axis=3, y=(2, 3, 5)), "cannot get an axis 3"),
        refused("axis_minus_2", one_hot(axis=-2), "axis -2 is below -1"),
        refused("depth_0", one_hot(depth=0, y=(2, 3, 1)), "depth is 0"),
        refused("depths", one_hot(depth=(1, 2)), "depth i32[2] must be one number"),
        refused("values", one_hot(value=(2,)), "on i32[2] must be one number"),
    )

"""Concatenation: every axis and element type, of computed and constant tensors."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import Shape, moving

WIDTHS = (1, 2, 3, 4, 5, 8, 11, 16, 17, 32, 48, 49)  # of a byte each: both ends of every loop
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint32", "bool", "float32")


def concatenation(
    *shapes: Shape,
    axis: int = 0,
    y: Shape | None = None,
    constant: Sequence[int] = (),
    activation: str = "NONE",
    dtype: str = "int8",
    **others: Any,
) -> Build:
    """Concatenation to build of tensors of these shapes; `constant` numbers the constant ones."""
    given: dict[str, Shape | Array] = {f"x{i}": shape for i, shape in enumerate(shapes)}
    for i in constant:
        given[f"x{i}"] = np.arange(np.prod(shapes[i])).reshape(shapes[i]).astype(dtype)
    made = _made(shapes, axis) if y is None else y
    options: dict[str, OptionValue] = {"axis": axis, "fused_activation_function": activation}
    return moving("CONCATENATION", given, [made], options, dtype=dtype, **others)


def _made(shapes: Sequence[Shape], axis: int) -> list[int]:
    """First shape, with the sum of sizes along the axis; unchanged if it has no such axis."""
    found = list(shapes[0])
    if axis < min(len(shape) for shape in shapes):
        found[axis] = sum(shape[axis] for shape in shapes)
    return found


def rescaled(*shapes: Shape, **others: Any) -> Build:
    """Concatenation to build of uint8 tensors with a zero point other than 0."""
    shapes = shapes or ((2, 5), (2, 40))
    return concatenation(*shapes, axis=1, dtype="uint8", zero_point=3, **others)


class TestConcatenation(OpTests):
    cases = (
        *(Case(dtype, concatenation((2, 3), (2, 3), axis=1, dtype=dtype)) for dtype in TYPES),
        Case("one", concatenation((2, 3))),
        Case("one_element_each", concatenation((1,), (1,))),
        Case("vectors", concatenation((5,), (236,), (16,), dtype="int32", constant=(0, 2))),
        Case("same_twice", concatenation((2, 3), (2, 3), constant=(0, 1))),
        Case("first_axis", concatenation((1, 3, 2), (2, 3, 2), (4, 3, 2))),
        Case("middle_axis", concatenation((2, 1, 3), (2, 4, 3), (2, 2, 3), axis=1)),
        Case("last_axis", concatenation((2, 3, 1), (2, 3, 5), axis=2)),
        Case("axis_from_behind", concatenation((2, 3, 1), (2, 3, 5), axis=-1)),
        Case("first_from_behind", concatenation((2, 3), (1, 3), axis=-2)),
        Case("channels", concatenation((1, 4, 4, 3), (1, 4, 4, 8), axis=3)),
        *(
            Case(f"units_of_{n}", concatenation((2, 3, n), (2, 3, 3 * n), axis=2))
            for n in (2, 4, 8, 16)
        ),
        Case("widths", concatenation(*((11, n) for n in WIDTHS), axis=1)),
        Case("rank_6", concatenation((1, 2, 1, 2, 1, 2), (1, 2, 3, 2, 1, 2), axis=2)),
        Case("rescaled", rescaled(scale={"x0": 0.1, "x1": 0.03, "y": 0.12})),
        Case("rescaled_by_scale", rescaled((1, 70), (1, 30), (1, 1), scale={"x1": 0.013})),
        Case("rescaled_constant", rescaled(scale={"x0": 1.0}, constant=(0,))),
        Case("rescaled_with_ties", rescaled(scale={"x0": 0.25, "x1": 1.0})),
        Case("saturated", rescaled(scale={"y": 1e-6})),
        Case("many", concatenation(*[(i, 2) for i in range(1, 12)], dtype="int16")),
    )
    rejected = (
        refused("axis", concatenation((2, 3), (2, 3), axis=2), "x i8[2x3] has no axis 2"),
        refused("far_axis", concatenation((2, 3), (2, 3), axis=-3, y=(4, 3)), "has no axis -3"),
        refused("scalar", concatenation((), (), y=(2,)), "has no axis 0"),
        refused("rank", concatenation((2, 3), (2,)), "(2, 3) and (2,) differ outside axis 0"),
        refused("size", concatenation((2, 3), (2, 4)), "differ outside axis 0"),
        refused("scale", concatenation((2,), (2,), scale={"x1": 0.25}), "tensor 1 of x must"),
        refused("relu", concatenation((2,), (2,), activation="RELU"), "known are NONE", "MDL013"),
        refused("int16", concatenation((2,), (2,), dtype="int16", scale={"x1": 0.25}), "tensor 1"),
        refused("unquantised", rescaled(scale={"x1": ()}), "tensor 1 of x must be quantised as y"),
        refused("of_unquantised", rescaled(scale={"y": ()}), "y must be quantised per tensor"),
        refused("undefined", rescaled(scale={"y": 1e-9}), "from scale 0.5 to 1e-09"),
    )

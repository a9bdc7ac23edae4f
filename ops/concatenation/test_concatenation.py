"""Concatenation: every axis, on every element type, of tensors that come and that are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from runtimes.families.movement_cases import scales as scales_of
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter

TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint32", "bool", "float32")


def concatenation(
    *shapes: Sequence[int],
    axis: int = 0,
    dtype: str = "int8",
    y: Sequence[int] | None = None,
    constant: Sequence[int] = (),
    scales: Sequence[float] = (),
    activation: str = "NONE",
) -> Callable[[ModelWriter], None]:
    """Tensors of these shapes; `constant` numbers those that are known."""

    def build(m: ModelWriter) -> None:
        inputs = []
        for i, shape in enumerate(shapes):
            scale = scales_of(dtype, scales[i] if scales else 0.5)
            if i in constant:
                values = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
                inputs.append(m.constant(f"x{i}", values, scale))
            else:
                inputs.append(m.input(f"x{i}", shape, dtype, scale))
        made = _made(shapes, axis) if y is None else y
        output = m.tensor("y", made, dtype, scales_of(dtype))
        options: dict[str, OptionValue] = {"axis": axis, "fused_activation_function": activation}
        m.node("CONCATENATION", inputs, [output], options, version=2)
        m.output(output)

    return build


def no_tensor(m: ModelWriter) -> None:
    """Nothing put together."""
    y = m.tensor("y", (1,), "int8", 0.5)
    m.node("CONCATENATION", [], [y])
    m.output(y)


def _made(shapes: Sequence[Sequence[int]], axis: int) -> list[int]:
    """The first shape, as long along the axis as all together; the first itself without it."""
    found = list(shapes[0])
    if axis < min(len(shape) for shape in shapes):
        found[axis] = sum(shape[axis] for shape in shapes)
    return found


CASES = (
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
    Case("rank_6", concatenation((1, 2, 1, 2, 1, 2), (1, 2, 3, 2, 1, 2), axis=2)),
    Case("many", concatenation(*[(i, 2) for i in range(1, 12)], dtype="int16")),
)
REJECTED = (
    Rejected(Case("axis", concatenation((2, 3), (2, 3), axis=2)), "axis 2 is not one of 2"),
    Rejected(Case("far_axis", concatenation((2, 3), (2, 3), axis=-3, y=(4, 3))), "axis -3 is"),
    Rejected(Case("scalar", concatenation((), (), y=(2,))), "axis 0 is not one of 0"),
    Rejected(Case("rank", concatenation((2, 3), (2,))), "(2, 3) and (2,) differ outside axis 0"),
    Rejected(Case("size", concatenation((2, 3), (2, 4))), "differ outside axis 0"),
    Rejected(Case("output", concatenation((2, 3), (2, 3), y=(5, 3))), "'y' is i8[5x3] where"),
    Rejected(Case("scale", concatenation((2,), (2,), scales=(0.5, 0.25))), "tensor 1 of x must"),
    Rejected(
        Case("relu", concatenation((2,), (2,), activation="RELU")), "known are NONE", "MDL013"
    ),
    Rejected(Case("float64", concatenation((2,), (2,), dtype="float64")), "is float64", "MDL012"),
    Rejected(
        Case("uint8", concatenation((2,), (2,), dtype="uint8", scales=(0.5, 0.25))),
        "tensor 1 of x must",
    ),
)


class TestConcatenation(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

"""ReductionMean: both types, one and several axes, against LiteRT; the order of the arguments."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from opsmith.testing.op_tests import Case, OpTests, Rejected
from opsmith.tflite.writer import ModelWriter


def mean(
    x: Sequence[int], axis: Sequence[int], y: Sequence[int], dtype: str = "int8", keep: bool = False
) -> Callable[[ModelWriter], None]:
    """A MEAN to build."""

    def build(m: ModelWriter) -> None:
        scales: tuple[float | tuple[()], ...] = (0.1, 0.07) if dtype == "int8" else ((), ())
        source = m.input("x", x, dtype, scales[0], 4 if dtype == "int8" else None)
        axes = m.constant("axis", np.array(axis, np.int32))
        result = m.tensor("y", y, dtype, scales[1], -3 if dtype == "int8" else None)
        m.node("MEAN", [source, axes], [result], {"keep_dims": keep}, version=2)
        m.output(result)

    return build


class TestReductionMean(OpTests):
    folder = Path(__file__).parent
    cases = (
        Case("image", mean((1, 7, 5, 8), (1, 2), (1, 8))),
        Case("image_f32", mean((1, 7, 5, 8), (1, 2), (1, 8), "float32")),
        Case("last", mean((3, 4, 9), (-1,), (3, 4))),
        Case("last_f32", mean((3, 4, 9), (-1,), (3, 4), "float32")),
        Case("first", mean((6, 2, 3), (0,), (1, 2, 3), keep=True)),
        Case("middle", mean((2, 5, 3), (1,), (2, 3), "float32")),
        Case("all", mean((2, 5, 3), (0, 1, 2), ())),
        Case("one_element", mean((1,), (0,), ())),
        Case("not_neighbours", mean((2, 5, 3), (0, 2), (5,))),  # which the shipped op takes
    )
    rejected = (
        Rejected(
            Case("apart_u32", mean((2, 5, 3), (0, 2), (5,), "uint32")),
            "'x' is uint32; mean takes int8",
            code="MDL012",
        ),
    )

"""ExpandDims: every place, every type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter

Build = Callable[[ModelWriter], None]


def quantised(dtype: str) -> tuple[float, ...]:
    return (0.5,) if dtype in ("int8", "int16", "uint8") else ()


def expand(
    x: Sequence[int], y: Sequence[int], axis: int | Sequence[int], dtype: str = "int8"
) -> Build:
    """An expansion to build."""

    def build(m: ModelWriter) -> None:
        value = m.input("x", x, dtype, quantised(dtype))
        where = m.constant("axis", np.array(axis, np.int32))
        made = m.tensor("y", y, dtype, quantised(dtype))
        m.node("EXPAND_DIMS", [value, where], [made])
        m.output(made)

    return build


TYPES = ("int8", "int16", "int32", "int64", "uint8", "bool", "float32")
CASES = (
    *(Case(dtype, expand((4, 3), (4, 1, 3), 1, dtype)) for dtype in TYPES),
    Case("first", expand((4, 3), (1, 4, 3), 0)),
    Case("last", expand((4, 3), (4, 3, 1), 2)),
    Case("from_behind", expand((4, 3), (4, 3, 1), -1)),
    Case("first_from_behind", expand((4, 3), (1, 4, 3), -3)),
    Case("scalar", expand((), (1,), 0)),
    Case("vector_of_one", expand((4,), (1, 4), [0])),
)
REJECTED = (
    Rejected(Case("beyond", expand((4,), (4, 1), 2)), "axis 2 is none that x i8[4] could get"),
    Rejected(Case("two", expand((4,), (4, 1), [0, 1])), "must be one number"),
)


class TestExpandDims(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

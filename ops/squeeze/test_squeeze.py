"""Squeeze: all axes, named ones, every type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter

Build = Callable[[ModelWriter], None]


def quantised(dtype: str) -> tuple[float, ...]:
    return (0.5,) if dtype in ("int8", "int16", "uint8") else ()


def squeeze(x: Sequence[int], y: Sequence[int], axes: Sequence[int], dtype: str = "int8") -> Build:
    """A squeeze to build."""

    def build(m: ModelWriter) -> None:
        value = m.input("x", x, dtype, quantised(dtype))
        made = m.tensor("y", y, dtype, quantised(dtype))
        m.node("SQUEEZE", [value], [made], {"squeeze_dims": list(axes)} if axes else {})
        m.output(made)

    return build


TYPES = ("int8", "int16", "int32", "int64", "uint8", "bool", "float32")
CASES = (
    *(Case(dtype, squeeze((1, 4, 1, 3), (4, 3), (), dtype)) for dtype in TYPES),
    Case("named", squeeze((1, 4, 1, 3), (1, 4, 3), (2,))),
    Case("from_behind", squeeze((1, 4, 1, 3), (4, 3), (-2, 0))),
    Case("nothing", squeeze((4, 3), (4, 3), ())),
    Case("to_scalar", squeeze((1, 1), (), ())),
)
REJECTED = (
    Rejected(Case("size", squeeze((1, 4), (1,), (1,))), "has no axes [1] of size 1"),
    Rejected(Case("beyond", squeeze((1, 4), (4,), (2,))), "has no axes [2] of size 1"),
    Rejected(Case("output", squeeze((1, 4), (1, 4), ())), "'y' is i8[1x4] where i8[4] follows"),
)


class TestSqueeze(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

"""Transpose: every kind of order and type, and axes that merge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runtimes.families.movement_cases import EVERY_TYPE_NAME, Build, numbers, scales
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


def transpose(
    x: Sequence[int],
    perm: Sequence[int],
    dtype: str = "int8",
    y: Sequence[int] | None = None,
    scale: float = 0.5,
    constant: bool = True,
) -> Build:
    """A transposition to build; y follows from the others unless given."""

    def build(m: ModelWriter) -> None:
        value = m.input("x", x, dtype, scales(dtype))
        order = numbers(perm)
        given = m.constant("perm", order) if constant else m.input("perm", order.shape, "int32")
        sizes = [x[axis] for axis in perm] if y is None else y
        made = m.tensor("y", sizes, dtype, scales(dtype, scale))
        m.node("TRANSPOSE", [value, given], [made], version=2)
        m.output(made)

    return build


CASES = (
    *(Case(dtype, transpose((5, 7), (1, 0), dtype)) for dtype in EVERY_TYPE_NAME),
    Case("rows_stay_float32", transpose((3, 4, 5), (1, 0, 2), "float32")),
    Case("turns_round_int64", transpose((2, 3, 4, 5), (3, 2, 1, 0), "int64")),
    Case("large", transpose((16, 16), (1, 0))),
    Case("one_element", transpose((1, 1), (1, 0))),
    Case("one_axis", transpose((9,), (0,))),
    Case("stays", transpose((3, 4, 5), (0, 1, 2))),
    Case("only_ones_move", transpose((1, 6, 1, 5), (1, 0, 3, 2))),
    Case("rows_stay", transpose((3, 4, 5), (1, 0, 2))),
    Case("pairs_swap", transpose((2, 3, 4, 5), (2, 3, 0, 1))),
    Case("to_channels_first", transpose((2, 4, 5, 3), (0, 3, 1, 2))),
    Case("to_channels_last", transpose((2, 3, 4, 5), (0, 2, 3, 1))),
    Case("turns_round", transpose((2, 3, 4, 5), (3, 2, 1, 0))),
    Case("from_behind", transpose((2, 3, 4), (-1, 0, 1))),
    Case("rank_5", transpose((2, 3, 2, 4, 3), (4, 1, 3, 0, 2))),
    Case("rank_6", transpose((2, 3, 1, 4, 2, 3), (4, 5, 2, 0, 1, 3))),
)
REJECTED = (
    Rejected(Case("twice", transpose((2, 2), (1, 1))), "perm [1, 1] is no order of the axes"),
    Rejected(Case("short", transpose((2, 2), (0,))), "perm [0] is no order of the axes"),
    Rejected(Case("beyond", transpose((2, 2), (0, 2), y=(2, 2))), "perm [0, 2] is no order"),
    Rejected(Case("output", transpose((2, 3), (1, 0), y=(2, 3))), "'y' is i8[2x3] where i8[3x2]"),
    Rejected(Case("scale", transpose((2, 3), (1, 0), scale=0.25)), "quantised as x is"),
    Rejected(Case("unknown", transpose((2, 2), (1, 0), constant=False)), "must be a constant"),
    Rejected(Case("many", transpose((2,) * 6, (5, 4, 3, 2, 1, 0))), "more than 5 dimensions"),
)


class TestTranspose(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

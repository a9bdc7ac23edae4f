"""Minimum: every broadcast on every element type, against LiteRT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter

OP = "MINIMUM"


def pair(
    a: Sequence[int],
    b: Sequence[int],
    y: Sequence[int] | None = None,
    *,
    dtype: str = "int8",
    constant: object = None,
) -> Callable[[ModelWriter], None]:
    """Two tensors of one type; b is constant where its elements are given."""

    def build(m: ModelWriter) -> None:
        scale = (0.5,) if dtype in ("int8", "int16") else ()
        inputs = [m.input("a", a, dtype, scale)]
        if constant is None:
            inputs.append(m.input("b", b, dtype, scale))
        else:
            inputs.append(m.constant("b", np.full(b, constant, dtype), scale))
        found = np.broadcast_shapes(tuple(a), tuple(b)) if y is None else y
        output = m.tensor("y", found, dtype, scale)
        m.node(OP, inputs, [output], version=2)
        m.output(output)

    return build


CASES = (
    Case("int8", pair((2, 3), (2, 3))),
    Case("int16", pair((2, 3), (2, 3), dtype="int16")),
    Case("int32", pair((2, 3), (2, 3), dtype="int32")),
    Case("float32", pair((2, 3), (2, 3), dtype="float32")),
    Case("not_a_number_b", pair((2, 3), (), dtype="float32", constant=np.nan)),
    Case("infinite_b", pair((2, 3), (), dtype="float32", constant=-np.inf)),
    Case("zero_b", pair((64,), (), dtype="float32", constant=-0.0)),
    Case("scalars", pair((), ())),
    Case("scalar_a", pair((), (2, 3))),
    Case("scalar_b", pair((40,), (), dtype="int32", constant=7)),
    Case("rows", pair((4, 5), (5,))),
    Case("both_ways", pair((4, 1), (1, 5))),
    Case("rank_4", pair((2, 3, 1, 5), (2, 1, 4, 5), dtype="int16")),
    Case("rank_5", pair((2, 1, 2, 1, 3), (1, 4, 1, 5, 1), dtype="int32")),
    Case("of_elements_35", pair((5, 7), (5, 7))),
    Case("many", pair((3, 17), (3, 17))),
    *(Case(f"channels_{n}", pair((1, 3, 2, n), (n,))) for n in (4, 16, 21)),
    Case("rows_of_both", pair((3, 1, 18), (2, 18))),
)
REJECTED = (
    Rejected(Case("sizes", pair((2, 3), (2, 4), (2, 4))), "do not broadcast"),
    Rejected(Case("output", pair((2, 3), (3,), (3, 2))), "'y' is i8[3x2] where"),
    Rejected(Case("rank", pair((2,) * 6, (2,))), "has more than 5 dimensions"),
)


class TestMinimum(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

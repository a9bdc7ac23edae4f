"""SplitV: sizes that differ, one that is left, every type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_emitter import Tensor
from toolchain.testing.tflite_writer import ModelWriter

Build = Callable[[ModelWriter], None]


def quantised(dtype: str) -> tuple[float, ...]:
    return (0.5,) if dtype in ("int8", "int16", "uint8") else ()


def split(
    x: Sequence[int],
    axis: int,
    sizes: Sequence[int],
    dtype: str = "int8",
    scale: float = 0.5,
    parts: Sequence[int] | None = None,
) -> Build:
    """A split into these sizes to build, which the model tells unless it has others."""

    def build(m: ModelWriter) -> None:
        value = m.input("x", x, dtype, quantised(dtype))
        given = [
            m.constant("sizes", np.array(sizes, np.int32)),
            m.constant("axis", np.array(axis, np.int32)),
        ]
        scales = (scale,) if quantised(dtype) else ()
        made: list[Tensor] = []
        for i, size in enumerate(sizes if parts is None else parts):
            shape = list(x)
            shape[axis] = size
            made.append(m.tensor(f"y{i}", shape, dtype, scales))
        m.node("SPLIT_V", [value, *given], made, {"num_splits": len(made)}, version=2)
        m.output(*made)

    return build


CASES = (
    *(Case(t, split((4, 6), 1, (1, 3, 2), t)) for t in ("int8", "int16", "int32", "uint8")),
    Case("float32", split((4, 6), 1, (1, 3, 2), "float32")),
    Case("rest", split((9,), 0, (2, -1, 3), parts=(2, 4, 3))),
    Case("rows", split((6, 16), 0, (1, 5))),
    Case("images", split((2, 3, 4, 6), -1, (5, 1))),
    Case("rank_6", split((2, 1, 2, 1, 4, 2), 4, (1, 3))),
)
REJECTED = (
    Rejected(Case("sum", split((4, 6), 1, (1, 3, 1))), "does not divide into [1, 3, 1]"),
    Rejected(Case("two_rests", split((6,), 0, (-1, -1), parts=(3, 3))), "into [-1, -1]"),
    Rejected(Case("no_rest", split((6,), 0, (6, -1), parts=(5, 1))), "into [6, 0]"),
    Rejected(Case("count", split((6,), 0, (3, 3), parts=(6,))), "sizes [3, 3] for 1 outputs"),
    Rejected(Case("scale", split((4, 6), 1, (1, 5), scale=0.25)), "quantised as x is"),
)


class TestSplitV(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

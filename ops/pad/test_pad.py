"""Pad: borders along every axis, with zero points and with given values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from runtimes.families.movement_cases import scales
from toolchain.op.node import view
from toolchain.testing.known_ops import known_ops
from toolchain.testing.op_cases import Case, legal, merged_model
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter

Borders = Sequence[Sequence[int]]


def pad(
    x: Sequence[int],
    borders: Borders,
    value: float | Sequence[int] | None = None,
    *,
    dtype: str = "int8",
    y: Sequence[int] | None = None,
    zero_point: int = -7,
    scale: float | Sequence[float] = 0.5,
    value_scale: float = 0.5,
    constant: bool = True,
) -> Callable[[ModelWriter], None]:
    """PAD, or PADV2 where there is a value."""

    def quantised(scale: float | Sequence[float]) -> tuple[float | Sequence[float], int | None]:
        given = scale if scales(dtype) else ()
        return given, zero_point if given else None

    def build(m: ModelWriter) -> None:
        array = np.array(borders, np.int32)
        paddings = (
            m.constant("paddings", array) if constant else m.input("paddings", array.shape, "int32")
        )
        inputs = [m.input("x", x, dtype, *quantised(scale)), paddings]
        if value is not None:
            inputs.append(m.constant("value", np.array(value, dtype), *quantised(value_scale)))
        padded = [size + sum(border) for size, border in zip(x, borders, strict=False)]
        output = m.tensor("y", padded if y is None else y, dtype, *quantised(0.5))
        m.node("PAD" if value is None else "PADV2", inputs, [output], version=2)
        m.output(output)

    return build


NONE = (0, 0)
TYPES = (("bool", 1), ("uint8", 200), ("int16", -300), ("int32", -70000), ("int64", 2**40 + 3),
         ("float32", -1.1))  # fmt: skip
BORDERS = ((1, 0), (0, 1), (2, 1), (1, 2))
CASES = (
    *(Case(t, pad((2, 1, 2, 3), BORDERS, dtype=t, zero_point=0)) for t, _ in TYPES),
    *(Case(f"value_{t}", pad((2, 1, 2, 3), BORDERS, v, dtype=t, zero_point=0)) for t, v in TYPES),
    Case("int16_scalars", pad((3,), ((1, 2),), -257, dtype="int16", zero_point=0)),
    Case("zero_point_uint8", pad((2, 3), ((1, 1), (1, 1)), dtype="uint8", zero_point=131)),
    Case("image", pad((1, 4, 5, 3), (NONE, (1, 1), (2, 2), NONE))),
    Case("image_unequal", pad((1, 4, 5, 3), (NONE, (0, 1), (3, 0), NONE))),
    Case("image_and_channels", pad((1, 4, 5, 3), (NONE, (1, 1), (2, 2), (1, 2)))),
    Case("channels", pad((1, 4, 5, 3), (NONE, NONE, NONE, (2, 1)))),
    Case("batches", pad((2, 4, 5, 3), ((1, 2), (1, 0), NONE, NONE))),
    Case("nothing", pad((2, 3), (NONE, NONE))),
    Case("one_element", pad((1,), ((1, 1),))),
    Case("rank_1", pad((5,), ((2, 3),))),
    Case("rank_2", pad((2, 3), ((1, 2), (3, 4)))),
    Case("rank_3", pad((2, 3, 4), ((1, 0), NONE, (0, 1)))),
    Case("rank_5", pad((2, 1, 3, 2, 3), ((1, 0), (0, 1), NONE, (2, 1), (1, 1)))),
    Case("wide", pad((1, 1, 40, 16), (NONE, (4, 5), (1, 1), NONE))),
    Case("least_zero_point", pad((2, 3), ((1, 1), (1, 1)), zero_point=-128)),
    Case("greatest_zero_point", pad((2, 3), ((1, 1), (1, 1)), zero_point=127)),
    Case("value", pad((1, 4, 5, 3), (NONE, (1, 1), (2, 2), NONE), 99)),
    Case("value_in_a_vector", pad((2, 3), ((1, 1), (1, 1)), [-128])),
)
REJECTED = (
    Rejected(Case("negative", pad((4, 5), (NONE, (-1, 0)))), "a border is negative"),
    Rejected(Case("output", pad((4, 5), (NONE, (1, 0)), y=(4, 5))), "'y' is i8[4x5] where"),
    Rejected(Case("few_rows", pad((4, 5), (NONE,), y=(4, 5))), "paddings i32[1x2] must be 2x2"),
    Rejected(Case("columns", pad((4,), ((1, 1, 1),), y=(6,))), "paddings i32[1x3] must be 1x2"),
    Rejected(Case("rank", pad((1,) * 6, (NONE,) * 6)), "must have 1 to 5 dimensions"),
    Rejected(Case("scalar", pad((), (NONE,), y=())), "must have 1 to 5 dimensions"),
    Rejected(
        Case("unknown", pad((4,), ((1, 1),), constant=False)), "'paddings' must be a constant"
    ),
    Rejected(Case("huge", pad((4,), ((2**31 - 1, 2**31 - 1),), y=(4,))), "'y' is i8[4] where"),
    Rejected(Case("unquantised", pad((4,), ((1, 1),), scale=())), "x must be quantised per tensor"),
    Rejected(Case("two_values", pad((4,), ((1, 1),), [1, 2])), "must be one element"),
    Rejected(Case("value_scale", pad((4,), ((1, 1),), 1, value_scale=0.25)), "quantised as y is"),
)


class TestPad(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

    def test_borders_of_int8_alone_are_offered(self) -> None:
        for dtype, offered in (("int8", True), ("int16", False), ("float32", False)):
            case = Case("pad", pad((2, 3), ((1, 0), (0, 1)), dtype=dtype, zero_point=0))
            ops = known_ops([self.folder])
            graph = legal(merged_model([case]), ops)
            seen = view(graph, graph.nodes[0], ops["pad"])
            border = ops["pad"].hooks.borders.adds
            assert border is not None
            assert (border(seen) is not None) == offered

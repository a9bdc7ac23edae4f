"""Tile: every type, repeated along one axis, several and none."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtimes.families.movement_cases import EVERY_TYPE_NAME, Build, Shape, moving, numbers
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, refused
from toolchain.testing.tflite_writer import ModelWriter


def tile(x: Shape, multiples: Shape, **others: Any) -> Build:
    """A repetition to build."""
    y = [max(size * count, 1) for size, count in zip(x, multiples, strict=False)]
    return moving("TILE", {"x": x, "multiples": numbers(multiples)}, [y], **others)


def wide(m: ModelWriter) -> None:
    """Multiples of int64."""
    x, y = m.input("x", (2, 3), "int8", 0.5), m.tensor("y", (2, 6), "int8", 0.5)
    m.node("TILE", [x, m.constant("multiples", np.array([1, 2]))], [y])
    m.output(y)


class TestTile(OpTests):
    cases = (
        *(Case(dtype, tile((2, 3), (2, 3), dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        Case("rows", tile((3, 5), (2, 1), version=3)),
        Case("columns", tile((3, 5), (1, 3))),
        Case("elements", tile((4, 1), (1, 17))),
        Case("one_element", tile((1,), (1,))),
        Case("stays", tile((3, 4), (1, 1))),
        Case("image", tile((1, 2, 3, 5), (2, 2, 3, 2))),
        Case("rank_6", tile((2, 1, 3, 1, 2, 1), (1, 3, 1, 2, 2, 1))),
        *(
            Case(f"every_axis_of_{dtype}", tile((2, 1, 2) * 2, (2,) * 6, dtype=dtype))
            for dtype in EVERY_TYPE_NAME
        ),
        Case("every_axis_of_8", tile((2, 1) * 4, (2,) * 8)),
        Case("int64_multiples", wide),
        Case("other_scale", tile((2,), (2,), scale={"y": 0.25})),
    )
    rejected = (
        refused("less", tile((2, 3), (-1, 1)), "multiples are [-1, 1], not at least 0"),
        refused("short", tile((2, 3), (2,)), "multiples i32[1] must have one number per axis"),
        refused("unknown", tile((2,), (2,), known=False), "'multiples' must be a constant"),
    )

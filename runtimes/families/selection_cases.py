"""Test cases of selections."""

from collections.abc import Sequence

import numpy as np

from opsmith.tflite.cases import Case
from opsmith.tflite.one_node import Build, one_node
from runtimes.families.movement_cases import EVERY_TYPE_NAME

SCALES = {"int8": (0.5, 3), "uint8": (0.5, 125), "int16": (0.5, 0)}


def selection(
    op: str,
    condition: Sequence[int],
    a: Sequence[int],
    b: Sequence[int] | None = None,
    dtype: str = "int8",
    y: Sequence[int] | None = None,
) -> Build:
    """Node of a selection to build; b has the shape of a unless given."""
    shapes = (tuple(each) for each in (condition, a, a if b is None else b))
    if y is None:
        y = a if op == "SELECT" else np.broadcast_shapes(*shapes)
    quantised = SCALES.get(dtype, ())
    return one_node(
        op,
        {
            "condition": (condition, "bool"),
            "a": (a, dtype, *quantised),
            "b": (a if b is None else b, dtype, *quantised),
        },
        {"y": (y, dtype, *quantised)},
    )


def type_cases(op: str) -> list[Case]:
    """Case of a selection of every element type."""
    return [Case(dtype, selection(op, (3, 7), (3, 7), dtype=dtype)) for dtype in EVERY_TYPE_NAME]

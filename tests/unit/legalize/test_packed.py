"""Filters of int4 that LiteRT cannot run are refused."""

from __future__ import annotations

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.testing.litert import Reference
from opsmith.testing.tflite_writer import ModelWriter
from tests.unit.litert_models import packed

SHAPE = (1, 1, 1, 4)
WEIGHTS = (-7, 7, 1, -3)


def depthwise(x: str, weights: str) -> bytes:
    """One pixel, each channel by its own weight."""
    m = ModelWriter()
    image, y = m.input("x", SHAPE, x, 0.5, 0), m.tensor("y", SHAPE, x, 0.5, 0)
    data = packed(*WEIGHTS) if weights == "int4" else np.array(WEIGHTS, np.int8).tobytes()
    w = m.tensor("w", SHAPE, weights, 1.0, 0, data=data)
    b = m.constant("b", np.zeros(4, np.int64 if x == "int16" else np.int32))
    strides = {"stride_h": 1, "stride_w": 1, "depth_multiplier": 1}
    m.node("DEPTHWISE_CONV_2D", [image, w, b], [y], {"padding": "VALID", **strides}, version=7)
    m.output(y)
    return m.bytes()


def test_filters_of_int4_are_refused_where_x_is_int16() -> None:
    legal(depthwise("int8", "int4"), shipped_ops())
    legal(depthwise("int16", "int8"), shipped_ops())
    with pytest.raises(ToolchainError, match="cannot run filters of int4 where x is int16"):
        legal(depthwise("int16", "int4"), shipped_ops())


@pytest.mark.parametrize(("x", "read"), [("int8", WEIGHTS[:2]), ("int16", (0x79, 0xD1 - 256))])
def test_litert_reads_such_a_filter_as_bytes(x: str, read: tuple[int, int]) -> None:
    ones = np.ones(SHAPE, x)
    (y,) = Reference(depthwise(x, "int4")).run([ones])
    assert tuple(y.reshape(-1)[:2]) == read

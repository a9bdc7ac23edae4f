"""Weights of int4 and int2 that LiteRT reads wrongly are refused."""

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.oracle.litert import Reference
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.writer import ModelWriter
from tests.unit.litert_models import packed

SHAPE = (1, 1, 1, 4)
WEIGHTS = (-7, 7, 1, -3)


def depthwise(x: str, weights: str) -> bytes:
    """Model of a depthwise convolution of one pixel by packed weights."""
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


CHANNELS = (4, 1, 1, 1)
POINT: dict[str, int | str] = {"stride_h": 1, "stride_w": 1, "padding": "VALID"}


def convolution(x: str, weights: str, bias: str = "float32") -> bytes:
    """Model of a convolution of one pixel, from one channel to four, by packed weights."""
    m = ModelWriter()
    scale = () if x == "float32" else (0.5, 0)
    image, y = m.input("x", (1, 1, 1, 1), x, *scale), m.tensor("y", SHAPE, x, *scale)
    data = packed(*WEIGHTS) if weights == "int4" else bytes([0b11100100])
    w = m.tensor("w", CHANNELS, weights, 1.0, 0, data=data)
    options = dict(POINT)
    if (x, bias) == ("int16", "int32"):
        options["quantized_bias_type"] = "INT32"
    m.node("CONV_2D", [image, w, m.constant("b", np.zeros(4, bias))], [y], options, version=8)
    m.output(y)
    return m.bytes()


@pytest.mark.parametrize(
    ("x", "bias"), [("float32", "float32"), ("int16", "int64"), ("int16", "int32")]
)
def test_filters_of_int2_are_refused_where_litert_reads_beyond_them(x: str, bias: str) -> None:
    legal(convolution(x, "int4", bias), shipped_ops())
    with pytest.raises(ToolchainError, match=f"cannot run filters of int2 where x is {x}"):
        legal(convolution(x, "int2", bias), shipped_ops())


def embedding(weights: str, y: str) -> bytes:
    """Model of an embedding lookup in a packed table of two rows."""
    m = ModelWriter()
    data = packed(*WEIGHTS) if weights == "int4" else bytes([0b11100100])
    table = m.tensor("w", (2, 2), weights, 1.0, 0, data=data)
    rows = m.tensor("y", (3, 2), y, *(() if y == "float32" else (1.0, 0)))
    m.node("EMBEDDING_LOOKUP", [m.input("x", (3,), "int32"), table], [rows], {}, version=4)
    m.output(rows)
    return m.bytes()


@pytest.mark.parametrize("weights", ["int4", "int2"])
def test_rows_that_litert_copies_packed_are_refused(weights: str) -> None:
    legal(embedding(weights, "float32"), shipped_ops())
    with pytest.raises(ToolchainError, match=f"cannot look up rows of {weights} as int8"):
        legal(embedding(weights, "int8"), shipped_ops())

"""Tests that the schema's own reader and LiteRT read what the writer writes."""

from typing import Any

import numpy as np
import pytest
import tflite  # type: ignore[import-untyped, unused-ignore]

from opsmith.errors import ToolchainError
from opsmith.oracle.litert import Array, Reference
from opsmith.tflite.writer import ModelWriter


def read(model: ModelWriter) -> Any:
    """Model read by the schema's own reader."""
    content = model.bytes()
    assert tflite.Model.ModelBufferHasIdentifier(content, 0)
    return tflite.Model.GetRootAs(content, 0)


def test_tensors_are_read_back_as_written() -> None:
    model = ModelWriter(description="words")
    model.input("x", (1, 4), "int16", 0.5, 3, signature=(-1, 4))
    values = np.arange(12, dtype=np.int8).reshape(3, 4)
    model.constant("w", values, [0.1, 0.2, 0.3], [1, 2, 3], axis=0)
    model.tensor("state", (2,), np.float32, variable=True)
    model.tensor("packed", (3,), "int4", data=b"\x21\x03")
    got = read(model)
    assert (got.Version(), got.Description()) == (3, b"words")
    x, w, state, packed = (got.Subgraphs(0).Tensors(each) for each in range(4))
    assert (x.Name(), x.Type(), x.Buffer()) == (b"x", tflite.TensorType.INT16, 0)
    assert x.ShapeAsNumpy().tolist() == [1, 4]
    assert x.ShapeSignatureAsNumpy().tolist() == [-1, 4]
    assert (x.Quantization().Scale(0), x.Quantization().ZeroPoint(0)) == (0.5, 3)
    assert w.Quantization().ScaleAsNumpy() == pytest.approx([0.1, 0.2, 0.3])
    assert w.Quantization().ZeroPointAsNumpy().tolist() == [1, 2, 3]
    assert w.Quantization().QuantizedDimension() == 0
    assert got.Buffers(w.Buffer()).DataAsNumpy().tobytes() == values.tobytes()
    assert (state.IsVariable(), state.Type()) == (True, tflite.TensorType.FLOAT32)
    assert state.Quantization() is None
    assert packed.Type() == tflite.TensorType.INT4
    assert got.Buffers(packed.Buffer()).DataAsNumpy().tolist() == [0x21, 0x03]


def test_nodes_are_read_back_as_written() -> None:
    model = ModelWriter()
    x, y, z = model.input("x", (4,)), model.tensor("y", (4,)), model.tensor("z", (4,))
    model.node("CUSTOM", [x, None], [y], custom="Mine", custom_options=b"\x01\x02", version=7)
    model.node("GELU", [y], [z], {"approximate": True}, version=2)
    model.node("GELU", [y], [z], version=2)
    model.output(z, y)
    got = read(model)
    graph = got.Subgraphs(0)
    assert graph.OutputsAsNumpy().tolist() == [2, 1]
    assert graph.Operators(0).InputsAsNumpy().tolist() == [0, -1]
    assert graph.Operators(0).CustomOptionsAsNumpy().tolist() == [1, 2]
    assert [graph.Operators(each).OpcodeIndex() for each in range(3)] == [0, 1, 1]
    custom, gelu = got.OperatorCodes(0), got.OperatorCodes(1)
    assert (custom.BuiltinCode(), custom.CustomCode()) == (tflite.BuiltinOperator.CUSTOM, b"Mine")
    assert custom.Version() == 7
    assert (gelu.BuiltinCode(), gelu.DeprecatedBuiltinCode()) == (tflite.BuiltinOperator.GELU, 127)


@pytest.mark.parametrize("options", [None, {"factor": 3}])
def test_an_op_may_name_a_custom_op_as_a_rename_does(options: dict[str, int] | None) -> None:
    named, plain = ModelWriter(), ModelWriter()
    for model in (named, plain):
        model.output(model.tensor("y", (4,)))
    named.node("CUSTOM.Gain", [named.input("x", (4,))], [], options)
    plain.node("CUSTOM", [plain.input("x", (4,))], [], custom="Gain", custom_options=options)
    assert named.bytes() == plain.bytes()


def test_subgraphs_are_numbered_in_order() -> None:
    model = ModelWriter()
    model.output(model.input("x", (1,)))
    body = model.subgraph("body")
    body.output(body.input("inner", (2,)))
    got = read(model)
    assert [got.Subgraphs(each).Name() for each in range(2)] == [b"main", b"body"]
    assert got.Subgraphs(1).Tensors(0).Name() == b"inner"


def test_buffers_are_aligned_and_bytes_repeat() -> None:
    def build() -> bytes:
        model = ModelWriter()
        for size in (1, 7, 33):
            model.constant(f"c{size}", np.full(size, size, np.int8))
        return model.bytes()

    content = build()
    assert content == build()
    for size in (7, 33):
        assert content.index(bytes([size]) * size) % 16 == 0


def test_a_type_that_tflite_lacks_is_an_error() -> None:
    with pytest.raises(ToolchainError, match="TFLite has no type 'timedelta64'"):
        ModelWriter().tensor("x", (1,), np.dtype("timedelta64"))


def add(model: ModelWriter) -> Array:
    """Model of an ADD of two unequal scales: 2 * 0.5 + 2 * 0.25, in halves."""
    a, b = model.input("a", (2,), "int8", 0.5), model.input("b", (2,), "int8", 0.25)
    y = model.tensor("add", (2,), "int8", 0.5)
    model.node("ADD", [a, b], [y], {"fused_activation_function": "NONE"}, version=2)
    model.output(y)
    return np.array([3, 3], np.int8)


def conv(model: ModelWriter) -> Array:
    """Model of a CONV_2D 1x1 of one channel by two, per channel: (2 * 0.5) * 1, * 2 + 1."""
    x = model.input("conv_x", (1, 2, 2, 1), "int8", 0.5)
    scales = [0.5, 1.0]
    w = model.constant("w", np.array([2, 2], np.int8).reshape(2, 1, 1, 1), scales)
    b = model.constant("b", np.array([0, 2], np.int32), [0.25, 0.5])
    y = model.tensor("conv", (1, 2, 2, 2), "int8", 1.0)
    options: dict[str, int | str] = {"padding": "VALID", "stride_h": 1, "stride_w": 1}
    model.node("CONV_2D", [x, w, b], [y], options, version=3)
    model.output(y)
    return np.tile(np.array([1, 3], np.int8), 4).reshape(1, 2, 2, 2)


def fully_connected(model: ModelWriter) -> Array:
    """Model of a FULLY_CONNECTED without bias: [1, 1] by [1, 2]."""
    x = model.input("fc_x", (1, 2), "int8", 0.5)
    w = model.constant("fc_w", np.array([[1, 2]], np.int8), 1.0)
    y = model.tensor("fc", (1, 1), "int8", 1.0)
    model.node("FULLY_CONNECTED", [x, w, None], [y], version=4)
    model.output(y)
    return np.array([[3]], np.int8)


def softmax(model: ModelWriter) -> Array:
    """Model of a SOFTMAX of equal values, which gives quarters."""
    x = model.input("s_x", (1, 4), "int8", 0.5)
    y = model.tensor("softmax", (1, 4), "int8", 1 / 256, -128)
    model.node("SOFTMAX", [x], [y], {"beta": 1.0}, version=2)
    model.output(y)
    return np.full((1, 4), -64, np.int8)


def mean(model: ModelWriter) -> Array:
    """Model of a MEAN over both axes of an image."""
    x = model.input("m_x", (1, 2, 2, 3), "int8", 0.5)
    axes = model.constant("axes", np.array([1, 2], np.int32))
    y = model.tensor("mean", (1, 3), "int8", 0.25)
    model.node("MEAN", [x, axes], [y], {"keep_dims": False}, version=2)
    model.output(y)
    return np.full((1, 3), 4, np.int8)


def pad(model: ModelWriter) -> Array:
    """Model of a PAD by one element in front, which is the zero point."""
    x = model.input("p_x", (2,), "int8", 0.5, -3)
    paddings = model.constant("paddings", np.array([[1, 0]], np.int32))
    y = model.value("PAD", [x, paddings], model.tensor("pad", (3,), "int8", 0.5, -3), version=2)
    model.output(y)
    return np.array([-3, 2, 2], np.int8)


def quantize(model: ModelWriter) -> Array:
    """Model of a QUANTIZE from int8 to int8 at half the scale."""
    x = model.input("q_x", (2,), "int8", 0.5)
    y = model.value("QUANTIZE", [x], model.tensor("quantize", (2,), "int8", 0.25, 1), version=2)
    model.output(y)
    return np.array([5, 5], np.int8)


PARTS = (add, conv, fully_connected, softmax, mean, pad, quantize)


def twos(model: ModelWriter) -> list[Array]:
    """Inputs full of 2 for a finished model."""
    return [np.full(each.shape, 2, each.dtype) for each in Reference(model.bytes()).inputs]


@pytest.mark.parametrize("part", PARTS)
def test_litert_runs_each_node(part: Any) -> None:
    model = ModelWriter()
    expected = part(model)
    (got,) = Reference(model.bytes()).run(twos(model))
    np.testing.assert_array_equal(got, expected)


def test_litert_runs_independent_nodes_of_one_model() -> None:
    model = ModelWriter()
    expected = [part(model) for part in PARTS]
    got = Reference(model.bytes()).run(twos(model))
    for each, want in zip(got, expected, strict=True):
        np.testing.assert_array_equal(each, want)

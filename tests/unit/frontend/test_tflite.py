"""The TFLite front end: what it reads, and what it says of files it cannot read."""

from pathlib import Path

import flatbuffers
import numpy as np
import pytest
import tflite  # type: ignore[import-untyped, unused-ignore]
from ai_edge_litert import schema_py_generated as schema

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.frontend.tflite import read_model
from opsmith.tflite.schema import enum_names
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored
from tests.refusals import refusal


def read(tmp_path: Path, content: bytes) -> Model:
    """Model read from bytes."""
    path = tmp_path / "m.tflite"
    path.write_bytes(content)
    return read_model(path, "m").sound()


def convolution() -> ModelWriter:
    """Model of one convolution, per channel, and an addition of its output to itself."""
    m = ModelWriter()
    x = m.input("serving_default_x:0", (1, 4, 4, 2), "int8", 0.5, -3)
    w = m.constant("w", np.ones((3, 1, 1, 2), np.int8), [0.1, 0.2, 0.3], [0, 0, 0], axis=0)
    y = m.tensor("block/conv/Relu;bias", (1, 4, 4, 3), "int8", 0.25, 7)
    options = {"padding": 1, "stride_h": 2, "stride_w": 1, "fused_activation_function": 1}
    m.node("CONV_2D", [x, w, None], [y], options, version=3)
    z = m.tensor("z", (1, 4, 4, 3), "int8", 0.25, 7)
    m.node("ADD", [y, y], [z], {"fused_activation_function": 0}, version=2)
    m.output(z)
    return m


def test_tensors_keep_type_shape_and_quantisation(tmp_path: Path) -> None:
    graph = read(tmp_path, convolution().bytes()).graph
    x = graph.tensors["x"]
    assert (x.name, str(x.type), x.scale, x.zero_point) == (
        "serving_default_x:0", "i8[1x4x4x2]", 0.5, -3,
    )  # fmt: skip
    w = graph.tensors["w"]
    assert w.quantization is not None
    assert w.quantization.scales == tuple(float(np.float32(s)) for s in (0.1, 0.2, 0.3))
    assert w.data.tolist() == np.ones((3, 1, 1, 2)).tolist()


def test_nodes_keep_options_version_and_absent_inputs(tmp_path: Path) -> None:
    node = read(tmp_path, convolution().bytes()).graph.nodes[0]
    assert (node.op, node.version, node.inputs) == ("tflite.CONV_2D", 3, ("x", "w", None))
    assert node.attributes["padding"] == "VALID"
    assert node.attributes["fused_activation_function"] == "RELU"
    assert (node.attributes["stride_h"], node.attributes["stride_w"]) == (2, 1)
    assert node.outputs == ("conv_Relu",)


def lstm(*intermediates: tuple[float, int] | tuple[()]) -> ModelWriter:
    """Model of a node with intermediate tensors without elements, quantised as given."""
    m = ModelWriter()
    x, y = m.input("x", (1, 2, 3)), m.tensor("y", (1, 2, 4))
    inner = [m.tensor(f"inner_{i}", (0,), "int16", *q) for i, q in enumerate(intermediates)]
    m.node("UNIDIRECTIONAL_SEQUENCE_LSTM", [x], [y], intermediates=inner)
    m.output(y)
    return m


def test_nodes_know_how_intermediate_tensors_are_quantised(tmp_path: Path) -> None:
    (node,) = read(tmp_path, lstm((), (0.5, -3)).bytes()).graph.nodes
    assert node.attributes["intermediate_scales"] == (0.0, 0.5)
    assert node.attributes["intermediate_zero_points"] == (0, -3)
    (node,) = read(tmp_path, lstm().bytes()).graph.nodes
    assert "intermediate_scales" not in node.attributes


def test_an_intermediate_tensor_with_a_bad_scale(tmp_path: Path) -> None:
    caught = refusal(read, tmp_path, lstm((-1.0, 0)).bytes())
    assert [(p.code, p.what) for p in caught.problems] == [
        ("MDL005", "a scale is not a positive number")
    ]


def test_custom_ops_keep_name_and_options(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (2,))
    m.output(m.value("CUSTOM", [x], m.tensor("y", (2,)), custom="MyOp", custom_options=b"abc"))
    node = read(tmp_path, m.bytes()).graph.nodes[0]
    assert (node.op, node.attributes) == ("tflite.CUSTOM.MyOp", {"custom_options": b"abc"})


def test_all_subgraphs_are_named_and_the_first_is_compiled(tmp_path: Path) -> None:
    m = convolution()
    other = m.subgraph("body")
    other.output(other.input("unrelated", (1,)))
    model = read(tmp_path, m.bytes())
    assert model.subgraphs == ("main", "body")
    assert "unrelated" not in model.graph.tensors


def test_types_that_opsmith_lacks_are_left_for_legalize(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (2,), "float16")
    m.output(m.value("ADD", [x, x], m.tensor("y", (2,), "float16"), {}))
    assert read(tmp_path, m.bytes()).graph.tensors["x"].dtype.name == "float16"


@pytest.mark.parametrize(("code", "name"), [(19, "int2"), (22, "float8_e5m2"), (99, "type 99")])
def test_types_that_are_newer_than_the_schema_have_a_name(
    code: int, name: str, tmp_path: Path
) -> None:
    model = schema.ModelT.InitFromPackedBuf(convolution().bytes(), 0)
    model.subgraphs[0].tensors[0].type = code
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    assert read(tmp_path, bytes(builder.Output())).graph.tensors["x"].dtype.name == name


def test_options_of_an_operator_that_has_none_are_ignored(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (2,))
    m.output(m.value("RELU", [x], m.tensor("y", (2,))))
    model = schema.ModelT.InitFromPackedBuf(m.bytes(), 0)
    model.subgraphs[0].operators[0].builtinOptionsType = schema.BuiltinOptions.AddOptions
    model.subgraphs[0].operators[0].builtinOptions = schema.AddOptionsT()
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    assert read(tmp_path, bytes(builder.Output())).graph.nodes[0].attributes == {}


def test_enums_have_only_names_of_the_schema() -> None:
    assert not [name for name in enum_names(tflite.BuiltinOptions).values() if name[0] == "_"]


def rejected(tmp_path: Path, content: bytes) -> str:
    """Text of the error that reading the given bytes raises."""
    return str(refusal(read, tmp_path, content))


@pytest.mark.parametrize("content", [b"TFL3", b"\0" * 64, b"\xff" * 999, b"    TFL3" * 9])
def test_bytes_that_are_no_model(tmp_path: Path, content: bytes) -> None:
    assert "error MDL001" in rejected(tmp_path, content)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_truncated_models(tmp_path: Path, part: float) -> None:
    content = convolution().bytes()
    text = rejected(tmp_path, content[: int(len(content) * part)])
    assert "error MDL001" in text
    assert "it is cut off, or damaged" in text
    assert "Error" not in text


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"MDL002.*cannot read the model: No such file"):
        read_model(tmp_path / "absent.tflite", "m")


def test_a_tensor_written_twice(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2,)), m.tensor("y", (2,))
    m.node("ADD", [x, x], [y], {})
    m.node("ADD", [x, x], [y], {})
    m.output(y)
    assert "y is written a second time" in rejected(tmp_path, m.bytes())


def test_data_of_a_tensor_that_an_operator_writes_are_left_out(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2,)), m.constant("y", np.array([7, 7], np.float32))
    m.node("NEG", [x], [y], {})
    m.output(y)
    assert read_model(stored(m, tmp_path), "m").graph.tensors["y"].constant is None


def test_an_output_nobody_writes(tmp_path: Path) -> None:
    m = ModelWriter()
    m.input("x", (2,))
    m.output(m.tensor("y", (2,)))
    assert "y is never written" in rejected(tmp_path, m.bytes())


def test_a_model_without_outputs(tmp_path: Path) -> None:
    m = ModelWriter()
    m.input("x", (2,))
    assert "the model has no output" in rejected(tmp_path, m.bytes())


def test_a_node_that_lists_an_output_twice(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (4,)), m.tensor("y", (2,))
    m.node("SPLIT", [m.constant("axis", np.array(0, np.int32)), x], [y, y], {"num_splits": 2})
    m.output(y)
    text = rejected(tmp_path, m.bytes())
    assert "error MDL007" in text
    assert "y is written a second time" in text


def test_a_variable_tensor_with_data(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (2,), "int8", 0.5, 0)
    k = m.tensor("k", (2,), "int8", 0.5, 0, variable=True, data=b"\1\2")
    m.output(m.value("ADD", [x, k], m.tensor("y", (2,), "int8", 0.5, 0), {}, version=2))
    text = rejected(tmp_path, m.bytes())
    assert "error MDL030" in text
    assert "tensor 'k'" in text


def test_data_come_before_what_lies_elsewhere(tmp_path: Path) -> None:
    model = schema.ModelT.InitFromPackedBuf(convolution().bytes(), 0)
    (found,) = (each for each in model.buffers if each.data is not None and len(each.data))
    found.offset, found.size = 4, len(found.data)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    weights = read(tmp_path, bytes(builder.Output())).graph.tensors["w"]
    assert weights.data.tolist() == np.ones((3, 1, 1, 2)).tolist()


def test_names_that_are_not_utf_8_are_escaped(tmp_path: Path) -> None:
    content = convolution().bytes()
    content = content.replace(b"block/conv/Relu", b"\xff\xfe\xed\xa0\x80/conv/Relu".ljust(15)[:15])
    model = read(tmp_path, content.replace(b"main", b"m\xe4in"))
    names = {tensor.name for tensor in model.graph.tensors.values()}
    assert r"\xff\xfe\xed\xa0\x80/conv/Relu;bias" in names
    assert model.subgraphs == (r"m\xe4in",)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "\u202egnp", "x" * 65_000])
def test_errors_show_names_on_one_short_line(tmp_path: Path, name: str) -> None:
    m = ModelWriter()
    m.output(m.tensor(name, (-2,)))
    text = rejected(tmp_path, m.bytes())
    assert len(text) < 500
    assert text.count("\n") == 2
    assert all(c.isprintable() or c == "\n" for c in text)


def test_options_of_another_operator(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2,), "int32"), m.tensor("y", (2,), "int32")
    m.node("MUL", [x, x], [y], {"fused_activation_function": "RELU6"})
    m.output(y)
    content = bytearray(m.bytes())
    code = tflite.Model.GetRootAs(bytes(content), 0).OperatorCodes(0)._tab
    for field in (4, 10):  # the old place of the number and the new one
        assert content[code.Pos + code.Offset(field)] == tflite.BuiltinOperator.MUL
        content[code.Pos + code.Offset(field)] = tflite.BuiltinOperator.ADD
    text = rejected(tmp_path, bytes(content))
    assert "error MDL031" in text
    assert "its options are MulOptions instead of AddOptions" in text

"""Operators of users' domains in .onnx files: CUSTOM operators, as in .tflite files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith import pipeline
from opsmith.discover.discover import discover
from opsmith.frontend.onnx.frontend import read_model
from opsmith.ir import Graph
from opsmith.op.options import flexbuffer
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops
from tests.refusals import refusal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.scaffold.every_template import new_op

FLOAT, DOUBLE = onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE
IMAGE = (1, 3, 4, 5)


def stating(model: Any, name: str, shape: Any, kind: int = FLOAT) -> Any:
    """The model, which states the type and shape of a custom operator's output."""
    model.opset_import.append(onnx.helper.make_opsetid("com.acme", 1))
    model.graph.value_info.append(onnx.helper.make_tensor_value_info(name, kind, shape))
    return model


def custom(m: OnnxWriter, inputs: list[str], kind: str = "Swoosh", **options: Any) -> str:
    """Output of a new operator of the domain com.acme."""
    return m.node(kind, inputs, domain="com.acme", **options)


def read(model: Any, folder: Path) -> Graph:
    """Graph of a model."""
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return read_model(path, "m").graph


@pytest.mark.parametrize("opset", [11, 17])  # converted, and not
def test_a_node_has_what_the_file_says(m: OnnxWriter, opset: int) -> None:
    w = m.constant(np.ones((3, 3, 1, 1), np.float32))
    x = m.node("Conv", ["x", w])
    y = custom(m, [x, "", w], alpha=0.5, mode="soft", sizes=[1, 2])
    graph = read(
        stating(m.model(["n", *IMAGE[1:]], m.node("Relu", [y]), opset), y, IMAGE), m.folder
    )
    (node,) = (each for each in graph.nodes if each.op == "tflite.CUSTOM.Swoosh")
    assert [graph.tensors[n].shape if n else None for n in node.inputs] == [
        IMAGE,
        None,
        (3, 3, 1, 1),
    ]
    assert [graph.tensors[n].shape for n in node.outputs] == [IMAGE]
    options = flexbuffer(node.attributes["custom_options"])
    assert options == {"alpha": 0.5, "mode": "soft", "sizes": [1, 2]}


def test_several_outputs_and_the_axis_of_the_batch(m: OnnxWriter) -> None:
    y = custom(m, ["x"])
    m.nodes[0].output.append("indices")
    model = stating(m.model(["n", 4], m.node("Relu", [y])), y, ["n", 2])
    model.graph.output.append(
        onnx.helper.make_tensor_value_info("indices", onnx.TensorProto.INT32, ["n"])
    )
    graph = read(model, m.folder)
    found = [graph.tensors[name] for name in graph.nodes[0].outputs]
    assert [(each.dtype.name, each.shape) for each in found] == [
        ("float32", (1, 2)),
        ("int32", (1,)),
    ]


def test_an_open_batch_without_a_name_is_that_of_the_inputs(m: OnnxWriter) -> None:
    y = custom(m, ["x"])
    model = stating(m.model(["", 4], m.node("Relu", [y])), y, [None, 2])
    graph = read(model, m.folder)
    assert graph.tensors[graph.nodes[0].outputs[0]].shape == (1, 2)


def test_an_open_batch_is_not_that_of_inputs_that_the_operator_lacks(tmp_path: Path) -> None:
    m, make = OnnxWriter(), onnx.helper
    y = custom(m, ["x"])
    model = stating(m.model(["", 4], m.node("Relu", [y])), y, [None, 2])
    model.graph.input.append(make.make_tensor_value_info("z", FLOAT, [None, 4]))
    model.graph.node.append(make.make_node("Relu", ["z"], ["r"]))
    model.graph.output.append(make.make_tensor_value_info("r", FLOAT, None))
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    graph = read_model(path, "m", input_shape=("z:3x4",)).graph
    assert [graph.tensors[name].shape for name in (y, "r")] == [(1, 2), (3, 4)]
    (problem,) = refusal(read_model, path, "m", input_shape=("x:3x4",)).problems
    assert (problem.code, problem.what) == ("MDL014", f"nothing says the size of '{y}'")


def test_it_computes_floats_between_integers(m: OnnxWriter) -> None:
    w = m.weights(np.ones((4,), np.int8), 0.5)
    y = m.through(custom(m, [m.through("x", 0.1, 3), w]), 0.2, 5)
    graph = read(stating(m.model([1, 4], y), m.nodes[3].output[0], [1, 4]), m.folder)
    ops = [each.op.removeprefix("tflite.") for each in graph.nodes]
    assert ops == ["DEQUANTIZE", "CUSTOM.Swoosh", "CUSTOM.OpsmithQuantize"]
    held = graph.tensors[graph.nodes[1].inputs[1] or ""]
    assert held.data.tolist() == [0.5] * 4


def test_a_branch_has_one_and_its_outputs(tmp_path: Path) -> None:
    m, make = OnnxWriter(), onnx.helper
    bodies = []
    for kind in ("Swoosh", "Other"):
        output = make.make_tensor_value_info(kind, FLOAT, [1, 4])
        node = make.make_node(kind, ["x"], [kind], domain="com.acme")
        bodies.append(make.make_graph([node], kind, [], [output]))
    y = m.node("If", [m.constant(np.array(True))], then_branch=bodies[0], else_branch=bodies[1])
    graph = read(m.model([1, 4], m.node("Relu", [y])), tmp_path)
    assert [each.op for each in graph.nodes] == ["tflite.CUSTOM.Swoosh", "tflite.RELU"]


def without_a_name(m: OnnxWriter) -> Any:
    custom(m, ["x"])
    m.nodes[0].output[:] = ["", "z"]
    return m.model([1, 4], m.node("Relu", ["z"]))


@pytest.mark.slow
def test_new_op_writes_the_op_that_a_model_lacks(m: OnnxWriter) -> None:
    y = custom(m, ["x"], alpha=0.5)
    path, into = m.folder / "m.onnx", m.folder / "my_ops"
    read(stating(m.model(["n", *IMAGE[1:]], m.node("Relu", [y])), y, IMAGE), m.folder)
    (problem,) = refusal(pipeline.read, path, "m", shipped_ops()).problems
    assert problem.fix.endswith(f"or: opsmith new-op --from {path} --into DIR")
    assert new_op("--from", str(path), "--into", str(into)) == 0
    _, graph = pipeline.read(path, "m", discover([ROOT / "ops", into]))
    assert [each.op for each in graph.nodes] == ["swoosh", "relu"]


def unstated(m: OnnxWriter) -> Any:
    return m.model([1, 4], m.node("Relu", [custom(m, ["x"])]))


def of_open_size(m: OnnxWriter) -> Any:
    y = custom(m, ["x"])
    return stating(m.model([1, 4], m.node("Relu", [y])), y, [1, "found"])


def of_open_batch(m: OnnxWriter) -> Any:
    y = custom(m, ["x"])
    return stating(m.model([1, 4], m.node("Relu", [y])), y, [None, 4])


def of_many_axes(m: OnnxWriter) -> Any:
    y = custom(m, ["x"])
    return stating(m.model([1, 4], m.node("Relu", [y])), y, [1] * 9)


def of_doubles(m: OnnxWriter) -> Any:
    y = custom(m, ["x"])
    return stating(m.model([1, 4], m.node("Relu", [y])), y, [1, 4], DOUBLE)


def with_a_tensor(m: OnnxWriter) -> Any:
    tensor = onnx.numpy_helper.from_array(np.ones(2, np.float32))
    y = custom(m, ["x"], table=tensor)
    return stating(m.model([1, 4], m.node("Relu", [y])), y, [1, 4])


def of_two_domains(m: OnnxWriter) -> Any:
    y = custom(m, ["x"])
    z = m.node("Swoosh", [y], domain="org.other")
    return stating(stating(m.model([1, 4], m.node("Relu", [z])), y, [1, 4]), z, [1, 4])


def of_microsoft(m: OnnxWriter) -> Any:
    y = m.node("Swoosh", ["x"], domain="com.microsoft")
    return stating(m.model([1, 4], m.node("Relu", [y])), y, [1, 4])


@pytest.mark.parametrize(("code", "what", "make"), [
    ("MDL014", "nothing says what 'n0' is", unstated),
    ("MDL007", "an output has no name", without_a_name),
    ("MDL014", "nothing says the size of 'n0'", of_open_size),
    ("MDL014", "nothing says the size of 'n0'", of_open_batch),
    ("MDL003", "'n0': 9 dimensions, where at most 8 are supported", of_many_axes),
    ("MDL012", "'n0' is stated to be of neither float32, bool, int32 nor int64", of_doubles),
    ("MDL013", "an attribute or operand has a type or number", with_a_tensor),
    ("MDL010", "two domains have a Swoosh: com.acme::Swoosh and org.other::Swoosh", of_two_domains),
    ("MDL010", "nothing reads ONNX's operator com.microsoft.Swoosh", of_microsoft),
])  # fmt: skip
def test_what_is_refused(
    tmp_path: Path, code: str, what: str, make: Callable[[OnnxWriter], Any]
) -> None:
    (problem,) = refusal(read, make(OnnxWriter()), tmp_path).problems
    assert (problem.code, what in problem.what) == (code, True), problem


@pytest.mark.parametrize(("domain", "kind", "fix"), [
    ("ai.onnx.ml", "Scaler", "black_op={'LinearClassifier', 'LinearRegressor', 'Norma"),
    ("ai.onnx.ml", "ZipMap", "options={'zipmap': False} of to_onnx"),
    ("ai.onnx.ml", "SVMClassifier", "build the layer of ONNX's operators"),
    ("", "NonZero", "leave what follows the last layer to the application"),
    ("", "Bernoulli", "convert by `onnx2tf -i FILE`"),
])  # fmt: skip
def test_what_is_not_read_is_told_what_takes_its_place(
    domain: str, kind: str, fix: str, m: OnnxWriter
) -> None:
    model = m.model([1, 4], m.node(kind, ["x"], domain=domain))
    (problem,) = refusal(read, model, m.folder).problems
    assert (problem.code, fix in problem.fix) == ("MDL010", True), problem

"""Inputs of ONNX models with open axes, whose sizes `input_shape=` gives."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import Reading, read
from opsmith.testing.known_ops import shipped_ops
from tests.refusals import refusal
from tests.unit.frontend.onnx_cases import normal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import near, random, wanted

IMAGES: tuple[int | str, ...] = ("batch", 3, "height", "width")


def two_inputs(folder: Path) -> Path:
    """Path of a model of images and of factors, one for each image and column."""
    m = OnnxWriter()
    y = m.node("Mul", [m.node("Conv", ["x", m.constant(normal(2, 3, 3, 3))], pads=[1] * 4), "f"])
    model = m.model(IMAGES, y)
    real = onnx.TensorProto.FLOAT
    factors = onnx.helper.make_tensor_value_info("f", real, ["batch", 1, 1, "width"])
    model.graph.input.append(factors)
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def with_inputs(folder: Path, operator: str, *inputs: Any) -> Path:
    """Path of a model of one operator, with the given names and shapes of its inputs."""
    real, helper = onnx.TensorProto.FLOAT, onnx.helper
    values = [helper.make_tensor_value_info(name, real, shape) for name, shape in inputs]
    more = {"axis": 1} if operator == "Concat" else {}
    made = helper.make_node(operator, [name for name, _ in inputs], ["y"], **more)
    y = helper.make_tensor_value_info("y", real, None)
    graph = helper.make_graph([made], "m", values, [y])
    path = folder / "m.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


def graph_of(path: Path, *given: str) -> tuple[Graph, Sequence[str]]:
    model, graph = read(path, "m", shipped_ops(), Reading(input_shape=given))
    return graph, model.assumed


def test_an_open_axis_has_the_size_that_is_given_to_its_name(tmp_path: Path) -> None:
    graph, assumed = graph_of(two_inputs(tmp_path), "x:2x3x5x7")
    assert [graph.tensors[name].shape for name in graph.inputs] == [(2, 5, 7, 3), (2, 1, 7, 1)]
    assert not any("batch" in each for each in assumed)


def test_a_batch_that_is_not_given_is_one(m: OnnxWriter) -> None:
    path = m.save(m.folder / "m.onnx", ["batch", "steps"], m.node("Relu", ["x"]))
    with pytest.raises(ToolchainError, match=r"MDL003.*open axes: 1 'steps'") as caught:
        graph_of(path)
    assert "give input_shape=x:nxn" in caught.value.problems[0].fix
    graph, _ = graph_of(path, "x:1x4")
    assert graph.tensors[graph.inputs[0]].shape == (1, 4)


def test_a_message_asks_for_the_shapes_of_all_inputs_at_once(tmp_path: Path) -> None:
    """Fixes that can be typed as they are, with a number for each n."""
    path = with_inputs(tmp_path, "Concat", ["a", ["rows", "columns"]], ["b.1", [4, "more"]])
    expected = {
        (): "a:nxn,b.1:4xn",
        ("a:4x3",): "a:4x3,b.1:4xn",
        ("a:4x3", "c:1"): "a:4x3,b.1:4xn",
    }
    for given, shapes in expected.items():
        problems = refusal(graph_of, path, *given).problems
        asked = {each.fix for each in problems if each.code == "MDL003"}
        assert asked == {
            f"give input_shape={shapes}, a number for each n, or export with fixed sizes"
        }
    graph, _ = graph_of(path, "a:4x3", "b.1:4x2")
    assert [graph.tensors[name].shape for name in graph.inputs] == [(4, 3), (4, 2)]
    graph, _ = graph_of(path, "a:4x3", "b_1:4x2")  # as generated code calls it
    assert graph.tensors[graph.outputs[0]].shape == (4, 5)


def test_a_message_about_many_inputs_is_short(tmp_path: Path) -> None:
    inputs = [(f"input_of_the_model_{i}", [4, f"d{i}"]) for i in range(400)]
    (problem,) = refusal(graph_of, with_inputs(tmp_path, "Concat", *inputs)).problems
    assert problem.what.endswith("input 'input_of_the_model_8' has open axes: 1 'd8'; and 391 more")
    shapes = problem.fix.removeprefix("give input_shape=").split(", a number for each n")[0]
    count = len(shapes.split(","))
    assert all(re.fullmatch(r"input_of_the_model_\d+:4xn", each) for each in shapes.split(","))
    assert f", and so on for {400 - count} more, or export" in problem.fix
    assert 64 < count < 400
    assert len(problem.fix) < 4000


def test_a_size_that_is_wrong_as_a_batch_of_one_is_asked_for(m: OnnxWriter) -> None:
    """The first axis are steps, of which a kernel of three needs more than the one assumed."""
    image = m.node(
        "Transpose", [m.node("Unsqueeze", ["x", m.constant(np.array([0]))])], perm=[0, 2, 1]
    )
    y = m.node("Conv", [image, m.constant(normal(2, 3, 3))])
    path = m.save(m.folder / "m.onnx", ["steps", 3], y)
    (problem,) = refusal(graph_of, path).problems
    assert problem.what == "no window of [1, 3] fits an image of [1, 1]"
    asked = "if the open first axis is no batch of 1: give input_shape=x:nx3, a number for each n"
    assert problem.fix.endswith(asked)
    graph, _ = graph_of(path, "x:5x3")
    assert graph.tensors[graph.inputs[0]].shape == (5, 3)


def test_an_input_without_a_shape_has_the_given_one(tmp_path: Path) -> None:
    path = with_inputs(tmp_path, "Add", ["a", None], ["b", [2, 3]])
    (problem,) = refusal(graph_of, path).problems
    assert problem.what == "input 'a' does not say how many axes it has"
    counted = "a number for each n, as many for 'a' as it has axes"
    assert problem.fix.startswith(f"give input_shape=a:nxn, {counted}")
    (problem,) = refusal(graph_of, path, "a:2x0").problems
    assert problem.what == "input 'a' is nxn and cannot be 2x0"
    graph, _ = graph_of(path, "a:2x3")
    assert [graph.tensors[name].shape for name in graph.inputs] == [(2, 3), (2, 3)]


def test_an_operator_that_a_given_number_of_axes_does_not_fit_asks_for_another(
    m: OnnxWriter,
) -> None:
    model = m.model([], m.node("Conv", ["x", m.constant(normal(4, 2, 3, 3))]))
    model.graph.input[0].type.tensor_type.ClearField("shape")
    path = m.folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    (problem,) = refusal(graph_of, path, "x:2x3").problems
    assert problem.what == "only images and sequences are read, not volumes"
    assert problem.fix.endswith("; if 'x' is no 2x3: give its shape by input_shape=")
    graph, _ = graph_of(path, "x:1x2x9x9")
    assert graph.tensors[graph.outputs[0]].shape == (1, 7, 7, 4)


def test_a_size_of_minus_one_is_open(m: OnnxWriter) -> None:
    path = m.save(m.folder / "m.onnx", [-1, 4, -1], m.node("Relu", ["x"]))
    with pytest.raises(ToolchainError, match="MDL003.*open axes: 2 ''"):
        graph_of(path)
    graph, _ = graph_of(path, "x:1x4x5")
    assert graph.tensors[graph.inputs[0]].shape == (1, 4, 5)


def test_sizes_reach_the_operators(m: OnnxWriter) -> None:
    flat = m.node("Reshape", ["x", m.constant(np.array([0, -1]))])
    y = m.node("MatMul", [flat, m.constant(normal(3 * 4 * 6, 5))])
    path = m.save(m.folder / "m.onnx", IMAGES, y)
    graph, _ = graph_of(path, "x:2x3x4x6")
    x = random((2, 3, 4, 6))
    found = Evaluator(graph, shipped_ops()).run([np.moveaxis(x, 1, -1)])[graph.outputs[0]]
    near(np.asarray(found), wanted(path, x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("given", "why"), [
    (("x:1x3x4",), "is nx3xnxn and cannot be 1x3x4"),
    (("x:1x4x4x4",), "is nx3xnxn and cannot be 1x4x4x4"),
    (("x:1x3x0x4",), "cannot be 1x3x0x4"),
    (("x:1x3x4x4", "x:1x3x4x5"), "input 'x' is given two shapes"),
    (("x:1x3x4x4", "z:1"), "no input 'z'"),
    (("X:1x3x4x4",), r"no input 'X' \(did you mean 'x'\?\)"),
    (("x:1x3x4x4", "x"), "is no name and shape"),
])  # fmt: skip
def test_shapes_that_do_not_fit_are_refused(
    given: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    with pytest.raises(ToolchainError, match=f"MDL023.*{why}"):
        graph_of(two_inputs(tmp_path), *given)


@pytest.mark.parametrize(("stated", "said"), [
    (None, ""),
    ((1, 3, 2, 4), ""),
    (("N", 3, None, 4), ""),
    ((1, 3, 2, 5), "1x3x2x5"),
    (("N", 6, 4), "Nx6x4"),
    ((), "scalar"),
])  # fmt: skip
def test_an_output_of_other_sizes_than_the_file_states_is_refused_and_told_if_sizes_are_given(
    stated: tuple[int | str | None, ...] | None, said: str, m: OnnxWriter
) -> None:
    model = m.model(("N", 3, 2, 4), m.node("Relu", ["x"]))
    real = onnx.TensorProto.FLOAT
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("n0", real, stated))
    (m.folder / "m.onnx").write_bytes(model.SerializeToString())
    if said:
        with pytest.raises(ToolchainError, match=f"MDL006: output 'n0' is .* states {said}"):
            read(m.folder / "m.onnx", "m", shipped_ops())
    _, told = graph_of(m.folder / "m.onnx", "x:1x3x2x4")
    (found,) = [each for each in told if each.startswith("output ")] or ("",)
    end = f"is 1x3x2x4, as follows from the inputs; the file states {said}"
    assert found == (f"output 'n0' {end}" if said else "")


@pytest.mark.parametrize(("name", "kind", "sizes", "said"), [
    ("n1", "FLOAT", (1, 9), "output 'n1' is 1x4, as follows .* states 1x9"),
    ("n1", "INT8", (1, 4), "output 'n1' is of float32; the file states int8"),
    ("n1", "BOOL", ("N", 4), "output 'n1' is of float32; the file states bool"),
    ("n0", "FLOAT", (1, 4, 1), "'n0' is 1x4, as follows .* states 1x4x1"),
    ("n0", "INT64", (1, 5), "'n0' is 1x4, .* states 1x5"),
    ("n0", "FLOAT", ("N", None), ""),
    ("n0", "DOUBLE", (1, 4), ""),
])  # fmt: skip
def test_what_the_file_states_is_what_is_computed(
    name: str, kind: str, sizes: tuple[int | str | None, ...], said: str, m: OnnxWriter
) -> None:
    y = m.node("MatMul", ["x", m.constant(normal(6, 4))])
    model = m.model((1, 6), m.node("Relu", [y]))
    stated = onnx.helper.make_tensor_value_info(name, getattr(onnx.TensorProto, kind), sizes)
    if name == "n1":
        model.graph.output[0].CopyFrom(stated)
    else:
        model.graph.value_info.append(stated)
    (m.folder / "m.onnx").write_bytes(model.SerializeToString())
    if not said:
        read(m.folder / "m.onnx", "m", shipped_ops())
        return
    with pytest.raises(ToolchainError, match=f"MDL006: {said}"):
        read(m.folder / "m.onnx", "m", shipped_ops())

"""Operators of ONNX whose operands are constants that other operators compute."""

import numpy as np
import pytest

from opsmith.ir.types import i8
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.onnx_nodes import answers
from tests.refusals import refusal
from tests.unit.frontend.onnx_cases import normal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import near, random, wanted


def test_a_normalisation_by_computed_constants_becomes_part_of_computed_weights(
    m: OnnxWriter,
) -> None:
    """The weights are a product of constants, as weight normalisation leaves them."""
    norms = m.constant(abs(normal(2, 1, 1, 1)))
    weights = m.node("Mul", [m.node("Sqrt", [norms]), m.constant(normal(2, 3, 3, 3))])
    value = onnx.numpy_helper.from_array(np.array([0.25], np.float32))
    size = m.constant(np.array([2]))
    filled = [m.node("ConstantOfShape", [size], value=value) for _ in range(4)]
    y = m.node("BatchNormalization", [m.node("Conv", ["x", weights]), *filled])
    path = m.save(m.folder / "m.onnx", [1, 3, 5, 6], y)
    graph = read(path, "m", shipped_ops())[1]
    assert [node.op for node in graph.nodes] == ["conv_2d"]
    x = random((1, 3, 5, 6))
    found = Evaluator(graph, shipped_ops()).run([np.moveaxis(x, 1, -1)])[graph.outputs[0]]
    near(np.moveaxis(np.asarray(found), -1, 1), wanted(path, x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("outputs", [[], [""]])
@pytest.mark.parametrize(("kind", "count"), [("Add", 2), ("ConstantOfShape", 1), ("Range", 3)])
def test_an_operator_of_constants_that_writes_no_tensor_is_refused(
    kind: str, count: int, outputs: list[str], m: OnnxWriter
) -> None:
    operands = [m.constant(np.array(2)) for _ in range(count)]
    m.nodes.append(onnx.helper.make_node(kind, operands, outputs))
    path = m.save(m.folder / "m.onnx", [1, 3], m.node("Relu", ["x"]))
    (problem,) = refusal(read, path, "m", shipped_ops()).problems
    assert (problem.code, problem.what) == ("MDL007", "it writes no tensor")


@pytest.mark.parametrize("end", ["weights", "bias"])
def test_a_normalisation_leaves_tensors_of_its_constants_names_alone(
    end: str, m: OnnxWriter
) -> None:
    convolved = m.node("Conv", ["x", m.constant(normal(3, 3, 3, 3))], pads=[1] * 4)
    held = [m.constant(abs(normal(3)) + np.float32(0.5)) for _ in range(4)]
    normalised = m.node("BatchNormalization", [convolved, *held])
    m.nodes.append(onnx.helper.make_node("Relu", ["x"], [f"{normalised} {end}"]))
    y = m.node("Add", [f"{normalised} {end}", normalised])
    path, x = m.save(m.folder / "m.onnx", [1, 3, 5, 6], y), random((1, 3, 5, 6))
    graph = read(path, "m", shipped_ops())[1]
    found = Evaluator(graph, shipped_ops()).run([np.moveaxis(x, 1, -1)])[graph.outputs[0]]
    near(np.moveaxis(np.asarray(found), -1, 1), wanted(path, x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("fmod", "wanted"), [(0, [1, 2, 1]), (1, [1, -1, 1])])
def test_a_remainder_of_constants_is_a_constant(
    fmod: int, wanted: list[int], m: OnnxWriter
) -> None:
    """Attention of PyTorch's older exporter computes an axis so."""
    numbers, three = m.constant(np.array([4, -1, 1])), m.constant(np.array([3]))
    floats = m.node("Cast", [m.node("Mod", [numbers, three], fmod=fmod)], to=1)
    path = m.save(m.folder / "m.onnx", [1, 3], m.node("Add", ["x", floats]))
    graph = read(path, "m", shipped_ops())[1]
    found = Evaluator(graph, shipped_ops()).run([np.zeros((1, 3), np.float32)])
    assert found[graph.outputs[0]].tolist() == [wanted]


def test_a_remainder_by_zero_is_refused(m: OnnxWriter) -> None:
    made = m.node("Mod", [m.constant(np.array([4])), m.constant(np.array([0]))])
    path = m.save(m.folder / "m.onnx", [1, 3], m.node("Reshape", ["x", made]))
    assert refusal(read, path, "m", shipped_ops()).problems[0].code == "MDL013"


@pytest.mark.parametrize("rank", [2, 3])
def test_weights_that_are_turned_once_dequantised_stay_integers(rank: int, m: OnnxWriter) -> None:
    """A linear layer of several axes, as torch.onnx writes it after PT2E."""
    w = np.random.default_rng(3).integers(-127, 128, (5, 6), np.int8)
    shape = (2, 3, 6)[3 - rank :]
    turned = m.node("Transpose", [m.weights(w, np.linspace(0.01, 0.02, 5))], perm=[1, 0])
    product = m.node("MatMul", [m.through("x", 0.05, 3), turned])
    y = m.through(m.node("Add", [product, m.constant(random((5,)))]), 0.1, -4)
    path, x = m.save(m.folder / "m.onnx", [*shape], y, opset=21), random(shape)
    graph = read(path, "m", shipped_ops())[1]
    (layer,) = (node for node in graph.nodes if node.op == "fully_connected")
    assert graph.tensors[str(layer.inputs[1])].dtype == i8
    (found,) = answers(path, {"x": x}, [y], [True])
    assert abs(found - wanted(path, x)).max() < 1e-6


@pytest.mark.parametrize("kind", ["Gemm", "MatMul", "Mul", "Sub"])
def test_weights_with_a_scale_for_each_channel_may_meet_floats(kind: str, m: OnnxWriter) -> None:
    w = np.random.default_rng(4).integers(-128, 128, (6, 6), np.int8)
    weights = m.weights(w, np.linspace(0.01, 0.02, 6), axis=1)
    path = m.save(m.folder / "m.onnx", [6, 6], m.node(kind, ["x", weights]), opset=21)
    x = random((6, 6))
    (found,) = answers(path, {"x": x}, ["n1"], [True])
    near(found, wanted(path, x), rtol=1e-5, atol=1e-5)

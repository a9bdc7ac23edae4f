"""Firmware of an .onnx model of many operators, bit for bit as its ops' definitions."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.firmware import build, run
from opsmith.testing.known_ops import shipped_ops
from tests.system.project import ROOT, make_project
from tests.unit.frontend.onnx_dynamic import network
from tests.unit.frontend.onnx_models import OnnxWriter
from tests.unit.frontend.test_onnx_external import saved as external
from tests.unit.frontend.test_onnx_operators import wanted as by_onnx


def model(folder: Path) -> Path:
    """Model of integers, at scales of tables and a literal SOFTMAX, then of floats."""
    m, random = OnnxWriter(), np.random.default_rng(41)

    def real(*shape: int) -> str:
        return m.constant(random.normal(0, 0.5, shape).astype(np.float32))

    def integers(*shape: int) -> str:
        return m.weights(random.integers(-127, 128, shape, np.int8), 0.01)

    y = m.node("Conv", [m.through("x", 0.05, 3), integers(5, 4, 3, 3)], pads=[1] * 4)
    y = m.through(y, 0.2, -4)
    for kind in ("Sigmoid", "HardSigmoid", "Elu", "Softmax"):
        y = m.through(m.node(kind, [y]), 0.013, -11)
    y = m.node("Reshape", [y, m.constant(np.array([6, 5, 6]))])
    turned = m.node("Transpose", [y], perm=[0, 2, 1])
    y = m.through(m.node("MatMul", [y, turned]), 0.02, 1)
    y = m.node("LSTM", [y, real(1, 12, 5), real(1, 12, 3), real(1, 24)], hidden_size=3)
    y = m.node("Squeeze", [y, m.constant(np.array([1]))])
    y = m.node("GRU", [y, real(1, 9, 3), real(1, 9, 3)], linear_before_reset=1)
    y = m.node("Squeeze", [y, m.constant(np.array([1]))])
    y = m.node("PRelu", [m.node("Attention", [y, y, y], q_num_heads=1, kv_num_heads=1), real(3)])
    path = folder / "operators.onnx"
    path.write_bytes(m.model([1, 4, 6, 6], y, opset=23).SerializeToString())
    return path


def dynamic(folder: Path) -> Path:
    """Model whose layers find the scales of what they read."""
    m, y = network()
    return m.save(folder / "dynamic.onnx", [1, 3, 8, 8], y)


@pytest.mark.system
@pytest.mark.qemu
@pytest.mark.slow
@pytest.mark.few(1)
@pytest.mark.parametrize("board", ["host", "mps2_an386", "mps3_an547"])
@pytest.mark.parametrize("made", [model, dynamic])
def test_firmware_answers_as_the_definitions(
    made: Callable[[Path], Path], board: str, tmp_path: Path
) -> None:
    path = made(tmp_path)
    _, graph = read(path, "operators", shipped_ops())
    random, x = np.random.default_rng(7), graph.tensors[graph.inputs[0]]
    given = [random.integers(-128, 128, x.shape, np.int8) for _ in range(4)]
    given = [each.astype(x.dtype.numpy) for each in given]
    if x.quantization is None:
        given += [given[0] * 0, given[1] * np.float32(1e-42)]
    evaluator = Evaluator(graph, shipped_ops())
    wanted = [evaluator.run([x])[graph.outputs[0]] for x in given]
    found = [answer[0] for answer in run(build(board, path, tmp_path), board, [[x] for x in given])]
    assert np.std(wanted) > 0
    for one, other in zip(found, wanted, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.system
@pytest.mark.slow
@pytest.mark.parametrize("board", ["host", "mps2_an386"])
def test_operators_of_folders_equal_those_of_onnx(board: str, tmp_path: Path) -> None:
    m, random = OnnxWriter(), np.random.default_rng(3)
    w = m.constant(random.integers(-9, 10, (4, 3, 3, 3)).astype(np.float32))
    y = m.node("ThresholdedRelu", [m.node("Conv", ["x", w], pads=[1] * 4)], alpha=20.0)
    y = m.node("Concat", [y, m.node("Hardmax", [y], axis=1)], axis=1)
    path = m.save(tmp_path / "folders.onnx", [1, 3, 5, 6], m.node("Neg", [y]))
    given = [random.integers(-9, 10, (1, 3, 5, 6)).astype(np.float32) for _ in range(4)]
    firmware = build(board, path, tmp_path, ops="tests/data/format_ops")
    found = run(firmware, board, [[x.transpose(0, 2, 3, 1)] for x in given])
    for x, (made,) in zip(given, found, strict=True):
        assert made.reshape(1, 8, 5, 6).tolist() == by_onnx(path, x).tolist()


@pytest.mark.system
@pytest.mark.slow
def test_operators_of_folders_are_compared_with_their_definitions(projects: Path) -> None:
    project, m = make_project(projects / "claimed", ops=("relu",)), OnnxWriter()
    m.save(project.root / "m.onnx", [3, 4], m.node("Hardmax", [m.node("Relu", ["x"])]))
    folder = ROOT / "tests/data/format_ops"
    arguments = ("board=host", "model=m.onnx", "run", "crosscheck")
    assert "nothing reads ONNX's operator Hardmax" in project.scons(*arguments).text
    said = project.build(*arguments, f"ops={folder}").text
    assert "equal to the numpy models: yes" in said
    assert "every node is within atol=0 rtol=0: yes" in said


@pytest.mark.system
@pytest.mark.slow
def test_a_change_of_elements_beside_the_model_builds_again(projects: Path) -> None:
    project = make_project(projects / "p", ops=("fully_connected",), bare=True)
    path, arguments = external(project.root, offset=6), ("board=host", "model=m.onnx")
    weights = path.parent / "data/weights.bin"
    assert "m.onnx" in project.build(*arguments).ran("CONVERT")
    assert project.build(*arguments).ran("CONVERT") == set()
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\0")
    assert "m.onnx" in project.build(*arguments).ran("CONVERT")
    weights.unlink()
    assert "MDL039" in project.scons(*arguments).text


@pytest.mark.system
@pytest.mark.slow
def test_open_axes_have_the_sizes_of_input_shape(projects: Path) -> None:
    project, m = make_project(projects / "shaped", ops=("relu", "softmax")), OnnxWriter()
    y = m.node("Softmax", [m.node("Relu", ["x"])], axis=1)
    m.save(project.root / "open.onnx", ["batch", 3, "height", "width"], y)
    arguments = ("board=host", "model=open.onnx", "run")
    assert "give input_shape=x:nx3xnxn" in project.scons(*arguments).text
    told = project.build(*arguments, "input_shape=x:2x3x4x5").text
    assert "float32[2, 4, 5, 3]" in told
    assert "equal to the numpy models: yes" in told

"""The ONNX front end: the fused meaning of QDQ graphs to the byte, layouts, and what it refuses."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.commands.show import Folders, facts
from opsmith.commands.show_text import lines
from opsmith.errors import ToolchainError
from opsmith.ir import Array, Graph
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import Reading, read
from opsmith.testing.known_ops import shipped_ops
from tests.refusals import refusal
from tests.unit.frontend.onnx_models import OnnxWriter, convolved, mobilenet_v2, onnx, requantised

RNG = np.random.default_rng(41)


def single(*factors: Any) -> Array:
    """Quotient (a * b) / c in float32."""
    a, b, c = (np.asarray(each, np.float32) for each in factors)
    return np.asarray(a * b / c, np.float32)


def answers(path: Path, x: Array) -> tuple[Array, Graph]:
    """Output of the legal graph by numpy, and the graph."""
    _, graph = read(path, "m", shipped_ops())
    values = Evaluator(graph, shipped_ops()).run([x])
    return np.asarray(values[graph.outputs[0]]), graph


@pytest.mark.slow
def test_convolutions_and_products_equal_onnx_to_the_byte(tmp_path: Path) -> None:
    m, sx, sy, sz, so = OnnxWriter(), 0.05, 0.03, 0.04, 0.1
    w, v = (RNG.integers(-127, 128, size, np.int8) for size in ((8, 3, 3, 3), (8, 1, 3, 3)))
    ws, vs = RNG.uniform(0.002, 0.01, (2, 8)).astype(np.float32)
    bias, addends = RNG.integers(-900, 900, 8, np.int32), RNG.integers(-99, 99, 10, np.int32)
    u = RNG.integers(-127, 128, (10, 128), np.int8)
    x = m.through("x", sx, 3)
    biases = m.weights(bias, np.float32(sx) * ws)
    y = m.node("Conv", [x, m.weights(w, ws), biases], pads=[1] * 4, strides=[2, 2])
    y = m.through(m.node("Relu", [y]), sy, -128)
    z = m.node("Conv", [y, m.weights(v, vs)], group=8, pads=[1] * 4)
    z = m.node("MaxPool", [m.through(z, sz, -5)], kernel_shape=[2, 2], strides=[2, 2])
    z = m.through(m.node("Flatten", [m.through(z, sz, -5)]), sz, -5)
    weights = m.weights(u, 0.01), m.weights(addends, np.float32(sz) * np.float32(0.01))
    output = m.through(m.node("Gemm", [z, *weights], transB=1), so, 4)
    path = m.save(tmp_path / "m.onnx", ["N", 3, 16, 16], output)

    for _ in range(20):
        given = RNG.integers(-128, 128, (1, 3, 16, 16), np.int8)
        first = convolved(given.astype(int) - 3, w, 2, 1) + bias[:, None, None]
        first = requantised(first, single(sx, ws, sy)[:, None, None], -128)
        second = convolved(first.astype(int) + 128, v, 1, 1, groups=8)
        second = requantised(second, single(sy, vs, sz)[:, None, None], -5)
        pooled = second.reshape(1, 8, 4, 2, 4, 2).max((3, 5))
        sums = (pooled.reshape(1, 128).astype(int) + 5) @ u.T.astype(int) + addends
        wanted = requantised(sums, single(sz, 0.01, so), 4)
        found, graph = answers(path, given.transpose(0, 2, 3, 1))
        assert found.tolist() == wanted.tolist()
    assert "transpose" not in {node.op for node in graph.nodes}


def test_uint8_is_shifted_and_pads_other_than_sames_are_kept(tmp_path: Path) -> None:
    m, w = OnnxWriter(), RNG.integers(-127, 128, (4, 2, 3, 3), np.int8)
    y = m.node("Conv", [m.through("x", 0.05, 131, "uint8"), m.weights(w, 0.01)], pads=[2] * 4)
    path = m.save(tmp_path / "m.onnx", [1, 2, 5, 5], m.through(y, 0.2, 120, "uint8"))
    given = RNG.integers(0, 256, (1, 2, 5, 5))
    sums = convolved(given - 131, w, 1, 2)
    wanted = np.clip(np.rint(sums.astype(np.float32) * single(0.05, 0.01, 0.2)) + 120, 0, 255)
    found, _ = answers(path, (given - 128).astype(np.int8).transpose(0, 2, 3, 1))
    assert (found.transpose(0, 3, 1, 2).astype(int) + 128).tolist() == wanted.tolist()


def test_floats_are_near_the_reference_of_onnx_and_layouts_need_no_transpose(
    m: OnnxWriter,
) -> None:
    from onnx.reference import ReferenceEvaluator

    real = [RNG.normal(0, 0.3, size).astype(np.float32) for size in ((6, 3, 3, 3), (96, 5))]
    nchw = m.node("Transpose", ["x"], perm=[0, 3, 1, 2])
    y = m.node("Conv", [nchw, m.constant(real[0])], pads=[1] * 4, strides=[2, 2])
    y = m.node("Relu", [y])
    y = m.node("Concat", [y, m.node("Sigmoid", [y])], axis=1)
    y = m.node("MaxPool", [y], kernel_shape=[2, 2], strides=[2, 2])
    y = m.node("Add", [y, m.constant(np.arange(12, dtype=np.float32).reshape(12, 1, 1))])
    y = m.node("Reshape", [y, m.constant(np.array([0, -1]))])
    y = m.node("Softmax", [m.node("MatMul", [y, m.constant(real[1][:48])])])
    path = m.save(m.folder / "m.onnx", [1, 8, 8, 3], y)
    given = RNG.normal(0, 1, (1, 8, 8, 3)).astype(np.float32)
    wanted: list[Any] = [*ReferenceEvaluator(onnx.load(path)).run(None, {"x": given})]
    found, graph = answers(path, given)
    np.testing.assert_allclose(found, wanted[0], rtol=1e-5, atol=1e-6)
    assert "transpose" not in {node.op for node in graph.nodes}


@pytest.mark.slow
def test_mobilenet_v2_needs_no_transposes(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(mobilenet_v2().SerializeToString())
    model, graph = read(path, "m", shipped_ops())
    assert "layout: 0 transposes are left" in model.assumed
    ops = ("conv_2d", "depthwise_conv_2d", "real_add", "mean", "reshape", "fully_connected", "pad")
    assert {node.op for node in graph.nodes} == {*ops}


@pytest.mark.slow
def test_what_another_rule_computes_is_named(m: OnnxWriter) -> None:
    x = m.through("x", 0.05, 3)
    path = m.save(m.folder / "m.onnx", [1, 4], m.through(m.node("Softmax", [x]), 1 / 256, -128))
    model, graph = read(path, "m", shipped_ops())
    assert any("(Softmax): its elements follow numerics=notebook" in each for each in model.assumed)
    assert "layout: 0 transposes are left" in model.assumed
    assert {node.numerics for node in graph.nodes} == {"notebook"}
    text = "\n".join(lines(facts(path, Reading(), Folders())[0]))
    assert "numerics=notebook, which the model's format fixes" in text
    assert "(Softmax): its elements follow numerics=notebook" in text
    assert "every node follows" not in text


def test_a_rule_of_integers_says_nothing_of_floats(m: OnnxWriter) -> None:
    y = m.through(m.node("Relu", [m.through("x", 0.05, 3)]), 0.05, 3)
    path = m.save(m.folder / "m.onnx", [1, 4], m.node("Exp", [m.node("Exp", [y])]))
    model, graph = read(path, "m", shipped_ops())
    assert "exp" in {node.op for node in graph.nodes}
    assert not any("numerics=" in each for each in model.assumed)


def relu(edit: Callable[[Any], object]) -> bytes:
    """Model of two RELUs after an edit."""
    m = OnnxWriter()
    y = m.node("Relu", [m.node("Relu", ["x"])])
    y = m.node("Add", [y, m.constant(np.ones(4, np.float32))])
    model = m.model([1, 4], y)
    edit(model)
    return bytes(model.SerializeToString())


def external(model: Any) -> None:
    tensor = model.graph.initializer[0]
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../../etc/passwd")


def sizes(model: Any) -> Any:
    """Sizes of a model's first input, to be edited."""
    return model.graph.input[0].type.tensor_type.shape.dim


EDITS: list[tuple[str, Callable[[Any], object]]] = [
    ("MDL039", external),
    ("MDL038", lambda m: setattr(m.opset_import[0], "version", 9999)),
    ("MDL038", lambda m: m.opset_import.pop()),
    ("MDL038", lambda m: m.opset_import.add(version=15)),
    ("MDL038", lambda m: setattr(m, "ir_version", onnx.IR_VERSION + 1)),
    ("MDL006", lambda m: m.graph.initializer[0].dims.append(7)),
    ("MDL006", lambda m: m.graph.initializer[0].dims.append(-1)),
    ("MDL007", lambda m: m.graph.node[0].input.__setitem__(0, "n1")),
    ("MDL007", lambda m: m.graph.node[1].output.__setitem__(0, "n0")),
    ("MDL010", lambda m: setattr(m.graph.node[0], "op_type", "Magic")),
    ("MDL014", lambda m: setattr(m.graph.node[0], "domain", "mine")),
    ("MDL003", lambda m: m.graph.input[0].type.tensor_type.shape.dim[1].Clear()),
    ("MDL003", lambda m: m.graph.input[0].type.tensor_type.ClearField("shape")),
    ("MDL003", lambda m: setattr(sizes(m)[0], "dim_value", 0)),
    ("MDL012", lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 6)),
    ("MDL001", lambda m: m.graph.Clear()),
    ("MDL007", lambda m: setattr(m.graph.output[0], "name", "nobody")),
    ("MDL013", lambda m: m.graph.node[2].input.pop()),
]


@pytest.mark.parametrize(("code", "edit"), EDITS)
def test_wrong_files_get_one_error(
    tmp_path: Path, code: str, edit: Callable[[Any], object]
) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(relu(edit))
    assert code in {problem.code for problem in refusal(read, path, "m", shipped_ops()).problems}


def test_an_axis_named_as_the_batch_is_the_batch(m: OnnxWriter) -> None:
    y = m.node("Add", [m.node("Relu", ["x"]), "h"])
    model = m.model(["batch", 4, "time"], y)
    shape = [1, "batch", "time"]
    model.graph.input.append(onnx.helper.make_tensor_value_info("h", 1, shape))
    path = m.folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ToolchainError) as caught:
        read(path, "m", shipped_ops())
    assert [each.what for each in caught.value.problems] == [
        "input 'x' has open axes: 2 'time'; input 'h' has open axes: 2 'time'"
    ]
    for each in model.graph.input:
        each.type.tensor_type.shape.dim[2].dim_value = 5
    path.write_bytes(model.SerializeToString())
    graph = read(path, "m", shipped_ops())[1]
    assert [sorted(graph.tensors[name].shape) for name in graph.inputs] == [[1, 4, 5], [1, 1, 5]]


def test_the_newest_opset_that_the_package_knows_is_read(tmp_path: Path) -> None:
    newest, path = onnx.defs.onnx_opset_version(), tmp_path / "m.onnx"
    path.write_bytes(relu(lambda m: setattr(m.opset_import[0], "version", newest)))
    assert read(path, "m", shipped_ops())[1].nodes


def test_an_output_that_is_constant_after_all_is_refused(m: OnnxWriter) -> None:
    path = m.save(m.folder / "m.onnx", [1, 4], m.weights(np.ones(4, np.int8), 0.1))
    with pytest.raises(ToolchainError, match=r"MDL007.*is constant"):
        read(path, "m", shipped_ops())


@pytest.mark.parametrize("size", [1 << 31, 1 << 62, 0, -1])
def test_sizes_that_no_image_has_are_refused_before_places_are_counted(
    m: OnnxWriter, size: int
) -> None:
    y = m.node("Resize", ["x", "", "", m.constant(np.array([1, 1, size, 4]))])
    path = m.save(m.folder / "m.onnx", [1, 1, 4, 4], y)
    with pytest.raises(ToolchainError, match=r"MDL014.*is not resized"):
        read(path, "m", shipped_ops())


def test_an_unknown_operator_is_named_once_with_its_places(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"

    def rename(model: Any) -> None:
        for node in model.graph.node:
            node.op_type = "Magic"

    path.write_bytes(relu(rename))
    caught = refusal(read, path, "m", shipped_ops())
    (problem,) = caught.problems
    places = "operator 0, operator 1, operator 2"
    assert (problem.code, problem.where) == ("MDL010", f"{path}: {places}")


@pytest.mark.slow
def test_damaged_bytes_are_read_or_refused(tmp_path: Path) -> None:
    path, whole, refused = tmp_path / "m.onnx", relu(lambda m: None), 0
    for _ in range(200):
        data = bytearray(whole)
        for place in RNG.integers(0, len(data), 2):
            data[place] = RNG.integers(0, 256)
        path.write_bytes(data)
        try:
            read(path, "m", shipped_ops())
        except ToolchainError as error:
            refused += 1
            assert all(problem.code and problem.fix for problem in error.problems)
    assert refused > 50


def test_without_the_package_the_error_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(relu(lambda m: None))
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ToolchainError, match=r"MDL037.*not installed") as caught:
        read(path, "m", shipped_ops())
    assert "opsmith[onnx]" in caught.value.problems[0].fix


@pytest.mark.parametrize(
    ("scales", "op"), [((0.031, 0.0173, 0.00411), "mul"), ((0.05, 0.05, 0.05), "real_mul")]
)
def test_products_are_integers_where_each_pair_allows_it(
    m: OnnxWriter, scales: tuple[float, float, float], op: str
) -> None:
    a, b = m.through("x", scales[0], 3), m.through(m.node("Relu", ["x"]), scales[1], -9)
    path = m.save(m.folder / "m.onnx", [1, 4], m.through(m.node("Mul", [a, b]), scales[2], 1))
    model, graph = read(path, "m", shipped_ops())
    assert [node.op for node in graph.nodes][-1] == op
    assert not any("(Mul)" in each for each in model.assumed)

"""QOperator files: QLinear operators give what QDQ around the same operators gives."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.onnx.qoperators import MICROSOFTS, QLINEAR
from opsmith.ir import Array
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_models import OnnxWriter, convolved, onnx, requantised

RNG = np.random.default_rng(45)
SX, ZX, SY, ZY = 0.05, 3, 0.06, -7


def saved(m: OnnxWriter, x: Sequence[int], kind: str, y: str, folder: Path) -> Path:
    """Path of a model saved with an input and an output of integers."""
    model = m.model(x, y, opset=20)
    model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    types = {"int8": onnx.TensorProto.INT8, "uint8": onnx.TensorProto.UINT8}
    model.graph.input[0].type.tensor_type.elem_type = types[kind]
    path = folder / f"{y}.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def answer(path: Path, x: Array) -> Array:
    """Output of the legal graph of a file."""
    _, graph = read(path, "m", shipped_ops())
    return np.asarray(Evaluator(graph, shipped_ops()).run([x])[graph.outputs[0]])


def test_weights_without_operands_are_told(m: OnnxWriter) -> None:
    products = m.node("MatMul", ["x", m.node("DequantizeLinear", [])])
    path = m.save(
        m.folder / "m.onnx", [2, 3], m.node("Add", [products, m.constant(np.ones(3, "f4"))])
    )
    with pytest.raises(ToolchainError, match="MDL01[23]"):
        read(path, "m", shipped_ops())


def test_convolutions_and_products_equal_onnx_to_the_byte(tmp_path: Path) -> None:
    m, w = OnnxWriter(), RNG.integers(-127, 128, (4, 2, 3, 3), np.int8)
    ws, bias = np.array([0.01, 0.02, 0.005, 0.007], np.float32), RNG.integers(-99, 99, 4, np.int32)
    u, us = RNG.integers(-127, 128, (144, 3), np.int8), np.array([0.01, 0.02, 0.03], np.float32)
    weights = [m.constant(w), *m.scales(ws, np.zeros(4))]
    ends = m.scales(0.3, 9), m.scales(1.1, 1)
    given = ["x", *m.scales(SX, 131, "uint8"), *weights, *ends[0], m.constant(bias)]
    y = m.node("QLinearConv", given, pads=[1] * 4)
    y = m.node("Reshape", [y, m.constant(np.array([1, -1]))])
    weights = [m.constant(u), *m.scales(us, np.zeros(3))]
    y = m.node("QLinearMatMul", [y, *ends[0], *weights, *ends[1]])
    path = saved(m, [1, 2, 6, 6], "uint8", y, tmp_path)
    for _ in range(10):
        x = RNG.integers(0, 256, (1, 2, 6, 6))
        sums = convolved(x - 131, w, 1, 1) + bias[:, None, None]
        factor = np.float32(SX) * ws / np.float32(0.3)
        first = requantised(sums, factor[:, None, None], 9).reshape(1, 144)
        wanted = requantised((first - 9.0) @ u, np.float32(0.3) * us / np.float32(1.1), 1)
        found = answer(path, (x - 128).astype(np.int8).transpose(0, 2, 3, 1))
        assert found.tolist() == wanted.tolist()


IMAGE = (1, 4, 6, 6)
POOL = {"kernel_shape": [2, 2], "strides": [2, 2]}
KINDS: list[tuple[str, str, dict[str, Any], Array | None]] = [
    ("QLinearAdd", "Add", {}, RNG.integers(-127, 128, (4, 1, 1), np.int8)),
    ("QLinearMul", "Mul", {}, RNG.integers(-127, 128, (4, 1, 1), np.int8)),
    ("QLinearAveragePool", "AveragePool", POOL, None),
    ("QLinearGlobalAveragePool", "GlobalAveragePool", {}, None),
    ("QLinearLeakyRelu", "LeakyRelu", {"alpha": 0.3}, None),
    ("QLinearSigmoid", "Sigmoid", {}, None),
    ("QLinearSoftmax", "Softmax", {"axis": 1}, None),
    ("QLinearConv", "Conv", {}, RNG.integers(-127, 128, (4, 4, 3, 3), np.int8)),
    ("QLinearMatMul", "MatMul", {}, RNG.integers(-127, 128, (6, 5), np.int8)),
    ("QLinearConcat", "Concat", {"axis": 1}, None),
    ("QLinearReduceMean", "ReduceMean", {"axes": [2, 3]}, None),
    ("QGemm", "Gemm", {"transB": 1}, RNG.integers(-127, 128, (5, 8), np.int8)),
]


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case[0])
def test_each_is_its_qdq(
    tmp_path: Path, case: tuple[str, str, dict[str, Any], Array | None]
) -> None:
    kind, plain, options, operand = case
    shape = (2, 8) if kind == "QGemm" else IMAGE
    made = []
    for quantised in (False, True):
        m = OnnxWriter()
        x, y = m.scales(SX, ZX), m.scales(SY, ZY)
        given = [] if operand is None else [m.constant(operand), *m.scales(0.01, 0)]
        if kind == "QLinearConcat":
            given = ["x", *x]
        if quantised:
            inputs = [*y, "x", *x, *given] if kind == "QLinearConcat" else ["x", *x, *given]
            inputs += {"QLinearConcat": [], "QGemm": ["", *y]}.get(kind, y)
            last = m.node(kind, inputs, **options)
            if kind in MICROSOFTS:
                m.nodes[-1].domain = "com.microsoft"
        else:
            read_ = [m.node("DequantizeLinear", ["x", *x])]
            read_ += [m.node("DequantizeLinear", given)] if given else []
            last = m.node("QuantizeLinear", [m.node(plain, read_, **options), *y])
        path = saved(m, shape, "int8", last, tmp_path)
        x_ = np.random.default_rng(3).integers(-128, 128, shape, np.int8)
        made.append(answer(path, x_ if len(shape) == 2 else x_.transpose(0, 2, 3, 1)))
    assert made[0].tolist() == made[1].tolist()
    assert made[0].dtype == np.int8 and made[0].std() > 0


def test_every_qlinear_operator_has_a_case() -> None:
    assert {case[0] for case in KINDS} == {*QLINEAR}


@pytest.mark.parametrize(("options", "shape", "axis"), [
    ({"opset": 13}, (2, 3, 4), 2),
    ({"opset": 15, "axis": 1}, (2, 3, 4), 1),
    ({"opset": 11}, (2, 3), 1),
    ({"opset": 12, "axis": 2}, (2, 3, 4), 2),
    ({"opset": 11}, (2, 3, 1), 1),
    ({"opset": 12, "axis": 0}, (2, 3), None),
    ({"opset": 11}, (2, 3, 4), None),
])  # fmt: skip
def test_a_softmax_goes_along_the_axes_of_the_opset_that_it_names(
    options: dict[str, Any], shape: tuple[int, ...], axis: int | None, tmp_path: Path
) -> None:
    m = OnnxWriter()
    y = edited(m, "QLinearSoftmax", ["x", *m.scales(0.2, 3), *m.scales(1 / 256, -128)], **options)
    path = saved(m, shape, "int8", y, tmp_path)
    if axis is None:
        with pytest.raises(ToolchainError, match=r"MDL013.*as before opset 13"):
            read(path, "m", shipped_ops())
        return
    m = OnnxWriter()
    read_ = m.node("DequantizeLinear", ["x", *m.scales(0.2, 3)])
    z = m.node("QuantizeLinear", [m.node("Softmax", [read_], axis=axis), *m.scales(1 / 256, -128)])
    (tmp_path / "other").mkdir()
    other = saved(m, shape, "int8", z, tmp_path / "other")
    x = RNG.integers(-128, 128, shape, np.int8)
    assert answer(path, x).tolist() == answer(other, x).tolist()


@pytest.mark.parametrize("kind", ["QLinearSoftmax", "QLinearConcat"])
def test_an_axis_that_the_operands_lack_is_refused(kind: str, tmp_path: Path) -> None:
    for axis in (3, -4):
        m = OnnxWriter()
        x, y = ["x", *m.scales(0.2, 3)], m.scales(1 / 256, -128)
        given = [*x, *y] if kind == "QLinearSoftmax" else [*y, *x]
        made = edited(m, kind, given, axis=axis, opset=13)
        with pytest.raises(ToolchainError, match=f"MDL014.*axis {axis} is none of 3"):
            read(saved(m, (2, 3, 4), "int8", made, tmp_path), "m", shipped_ops())


def edited(m: OnnxWriter, kind: str, inputs: Sequence[str], **options: Any) -> str:
    """Output of a new operator of the domain com.microsoft."""
    y = m.node(kind, inputs, **options)
    m.nodes[-1].domain = "com.microsoft"
    return y


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    m = OnnxWriter()
    y = edited(m, "DynamicQuantizeLSTM", ["x", *m.scales(0.1, 3)])
    with pytest.raises(ToolchainError, match="LSTM, which finds scales while") as caught:
        read(saved(m, [1, 4], "int8", y, tmp_path), "m", shipped_ops())
    assert "op_types_to_quantize" in caught.value.problems[0].fix
    m = OnnxWriter()
    y = m.node("MatMulInteger", ["x", m.constant(np.ones((4, 2), np.int8))])
    with pytest.raises(ToolchainError, match=r"MDL012.*it computes with elements of 8 bits"):
        read(saved(m, [1, 4], "int8", y, tmp_path), "m", shipped_ops())
    m = OnnxWriter()
    path = m.save(tmp_path / "of_16.onnx", [1, 4], m.through("x", 0.1, 3, "int16"))
    with pytest.raises(ToolchainError, match=r"MDL012.*is of int16") as caught:
        read(path, "m", shipped_ops())
    assert "activation_type" in caught.value.problems[0].fix
    m = OnnxWriter()
    y = m.node("Flatten", ["x"])
    with pytest.raises(ToolchainError, match=r"MDL005.*no DequantizeLinear reads it"):
        read(saved(m, [1, 4], "int8", y, tmp_path), "m", shipped_ops())
    m = OnnxWriter()
    y = m.node("DequantizeLinear", ["x", *m.scales(0.1, 3)])
    with pytest.raises(ToolchainError, match=r"MDL005.*zero point is not of uint8"):
        read(saved(m, [1, 4], "uint8", m.node("Relu", [y]), tmp_path), "m", shipped_ops())
    m = OnnxWriter()
    given = ["x", *m.scales(0.1, 3), *m.scales(0.2, 3)]
    y = edited(m, "QLinearGlobalAveragePool", given, channels_last=1)
    with pytest.raises(ToolchainError, match=r"MDL013.*channels_last is not read"):
        read(saved(m, [1, 4, 2, 2], "int8", y, tmp_path), "m", shipped_ops())


@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_an_input_of_elements_may_be_moved_before_it_is_dequantised(
    kind: str, tmp_path: Path
) -> None:
    answers, array = [], RNG.integers(-9, 9, (5, 8), np.int8)
    for moved in (False, True):
        m = OnnxWriter()
        ends, weights = m.scales(0.2, 3, kind), m.weights(array, 0.1)
        flat = m.constant(np.array([1, 8]))
        x = m.node("Reshape", ["x", flat]) if moved else "x"
        x = m.node("DequantizeLinear", [m.node("Concat", [x] * 2, axis=0) if moved else x, *ends])
        y = x if moved else m.node("Concat", [m.node("Reshape", [x, flat])] * 2, axis=0)
        y = m.node("Gemm", [y, weights], transB=1)
        (tmp_path / str(moved)).mkdir()
        path = saved(m, (1, 2, 4), kind, y, tmp_path / str(moved))
        answers.append(answer(path, np.arange(-4, 4, dtype=np.int8).reshape(1, 2, 4)))
    assert answers[0].tolist() == answers[1].tolist()
    assert answers[0].shape == (2, 5)

"""Operators as files of opsets 7 to 12 have them, beside onnx.reference."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from tests.refusals import refusal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import found, near, wanted

IMAGE = [1, 3, 6, 6]
Made = Callable[[OnnxWriter], str]


def floats(m: OnnxWriter, *shape: int) -> str:
    return m.constant(np.random.default_rng(7).normal(0, 0.5, shape).astype(np.float32))


def norm(m: OnnxWriter, **attributes: Any) -> str:
    variance = m.constant(np.array([0.5, 1, 2], np.float32))
    return m.node(
        "BatchNormalization", ["x", *(floats(m, 3) for _ in "sbm"), variance], **attributes
    )


def scaled(kind: str, scales: Sequence[float], **attributes: Any) -> Made:
    empty = [""] if "nearest_mode" in attributes else []
    return lambda m: m.node(
        kind, ["x", *empty, m.constant(np.array(scales, np.float32))], **attributes
    )


def enlarged(mode: str, *scales: float, nearest: str = "floor") -> Made:
    where = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": nearest}
    return scaled("Resize", (1, 1, *scales), mode=mode, **where)


def over_matrix(kind: str, axis: int) -> Made:
    """Output of an operator over x as a matrix, along all axes from one on, as before opset 13."""

    def make(m: OnnxWriter) -> str:
        y = m.node(kind, [m.node("Flatten", ["x"], axis=axis)], axis=1)
        return m.node("Reshape", [y, m.constant([2, 3, 4])])

    return make


def branch(m: OnnxWriter) -> str:
    """Output of an If, one branch of which has a Clip with bounds of a wrong type."""
    body = OnnxWriter()
    body.count = 9
    value = onnx.helper.make_tensor_value_info(body.node("Clip", ["x"], min=0, max=6), 1, None)
    graph = onnx.helper.make_graph(body.nodes, "body", [], [value])
    return m.node("If", [m.constant(np.array(True))], then_branch=graph, else_branch=graph)


def parts(m: OnnxWriter) -> str:
    y = m.node("Split", ["x"], axis=2, split=[6])
    return m.node("Relu", [y])


CASES: list[tuple[int, Sequence[int], Made]] = [
    (9, IMAGE, scaled("Upsample", (1, 1, 2, 2), mode="nearest")),
    (7, IMAGE, lambda m: m.node("AveragePool", ["x"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])),
    (8, IMAGE, lambda m: m.node("MaxPool", ["x"], kernel_shape=[2, 2], strides=[2, 2])),
    (7, IMAGE, lambda m: m.node("Conv", ["x", floats(m, 4, 3, 3, 3)], kernel_shape=[3, 3])),
    (9, IMAGE, lambda m: m.node("Conv", ["x", floats(m, 4, 3, 3, 3)], group=1)),
    (7, [2, 5], lambda m: m.node("Gemm", ["x", floats(m, 3, 5), floats(m, 3)], transB=1)),
    (9, [2, 5], lambda m: m.node("Gemm", ["x", floats(m, 5, 3), floats(m, 3)], alpha=0.5)),
    (7, [1, 8], lambda m: m.node("Clip", ["x"], min=-0.25, max=0.5)),
    (10, [1, 8], lambda m: m.node("Clip", ["x"], max=0.25)),
    (11, [2, 3, 4], lambda m: m.node("Softmax", ["x"], axis=2)),
    (9, [1, 8], lambda m: m.node("Dropout", ["x"], ratio=0.5)),
    (9, [1, 3, 2, 1], lambda m: m.node("Squeeze", ["x"], axes=[3])),
    (11, [1, 3, 2], lambda m: m.node("Unsqueeze", ["x"], axes=[0, -1])),
    (11, [1, 3, 4], lambda m: m.node("ReduceSum", ["x"], axes=[2], keepdims=0)),
    (9, [1, 3, 4], lambda m: m.node("ReduceMean", ["x"], axes=[1])),
    (8, IMAGE, lambda m: m.node("Pad", ["x"], pads=[0, 0, 1, 0, 0, 0, 2, 1], value=1.5)),
    (9, [1, 6, 4], lambda m: m.node("Slice", ["x"], axes=[1], starts=[1], ends=[5])),
    (10, [1, 6, 4], lambda m: m.node("Slice", ["x", *map(m.constant, ([1], [5], [1], [2]))])),
    (8, IMAGE, lambda m: m.node("Flatten", ["x"], axis=1)),
    (7, [1, 3, 4], lambda m: m.node("Reshape", ["x", m.constant([1, 12])])),
    (9, [1, 3, 4], lambda m: m.node("Concat", ["x", "x"], axis=1)),
    (11, IMAGE, parts),
    (7, IMAGE, lambda m: m.node("PRelu", ["x", floats(m, 3, 1, 1)])),
    (7, [2, 3], lambda m: m.node("Add", ["x", floats(m, 3)])),
    (8, [1, 4, 6], lambda m: m.node("Gather", ["x", m.constant([2, 0])], axis=1)),
    (9, IMAGE, lambda m: m.node("GlobalAveragePool", ["x"])),
    (9, IMAGE, lambda m: m.node("LeakyRelu", ["x"], alpha=0.1)),
    (9, IMAGE, lambda m: m.node("HardSigmoid", ["x"])),
    (9, IMAGE, lambda m: m.node("Transpose", ["x"], perm=[0, 2, 3, 1])),
]  # fmt: skip
# Each beside its like of opset 17, where onnx.reference has no such version, or errs.
TWINS: list[tuple[int, Sequence[int], Made, Made]] = [
    (7, IMAGE, norm, norm),
    (9, IMAGE, norm, norm),
    (7, IMAGE, lambda m: m.node("Upsample", ["x"], scales=[1.0, 1, 3, 3]),
     enlarged("nearest", 3, 3)),
    (9, IMAGE, scaled("Upsample", (1, 1, 2, 0.5), mode="linear"), enlarged("linear", 2, 0.5)),
    (10, IMAGE, scaled("Resize", (1, 1, 2.5, 3)), enlarged("nearest", 2.5, 3)),
    (10, IMAGE, scaled("Resize", (1, 1, 0.6, 0.5)),
     enlarged("nearest", 0.6, 0.5, nearest="ceil")),
    (10, IMAGE, scaled("Resize", (1, 1, 2, 2), mode="linear"), enlarged("linear", 2, 2)),
    (12, [2, 3, 4], lambda m: m.node("Softmax", ["x"]), over_matrix("Softmax", 1)),
    (7, [2, 3, 4], lambda m: m.node("Softmax", ["x"], axis=0), over_matrix("Softmax", 0)),
    (7, [2, 3, 4], lambda m: m.node("LogSoftmax", ["x"], axis=1), over_matrix("LogSoftmax", 1)),
]  # fmt: skip


def written(path: Path, shape: Sequence[int], make: Made, opset: int) -> Path:
    m = OnnxWriter()
    path.write_bytes(m.model(shape, make(m), opset).SerializeToString())
    return path


@pytest.mark.parametrize(("opset", "shape", "make"), CASES)
def test_old_operators_are_as_the_reference_has_them(
    opset: int, shape: Sequence[int], make: Made, tmp_path: Path
) -> None:
    path = written(tmp_path / "m.onnx", shape, make, opset)
    x = np.random.default_rng(3).normal(0, 1, shape).astype(np.float32)
    near(found(path, x), wanted(path, x), 1e-5, 1e-6)


@pytest.mark.parametrize(("opset", "shape", "old", "new"), TWINS)
def test_old_operators_are_as_their_like_of_today(
    opset: int, shape: Sequence[int], old: Made, new: Made, tmp_path: Path
) -> None:
    first = written(tmp_path / "old.onnx", shape, old, opset)
    other = written(tmp_path / "new.onnx", shape, new, 17)
    x = np.random.default_rng(3).normal(0, 1, shape).astype(np.float32)
    np.testing.assert_array_equal(found(first, x), found(other, x))


@pytest.mark.parametrize(("code", "make"), [
    ("MDL010", lambda m: m.node("Magic", ["x"])),
    ("MDL038", lambda m: norm(m, spatial=0)),
    ("MDL038", scaled("Upsample", (1, 1, 0.5, 2))),
    ("MDL013", lambda m: m.node("Clip", ["x"], min=0, max=6)),
    ("MDL013", lambda m: m.node("Squeeze", ["x"], axes="ab")),
    ("MDL013", branch),
])  # fmt: skip
def test_operators_that_nothing_converts_are_refused(code: str, make: Made, tmp_path: Path) -> None:
    path = written(tmp_path / "m.onnx", IMAGE, make, 7)
    caught = refusal(found, path, np.zeros(IMAGE, np.float32))
    assert {problem.code for problem in caught.problems} == {code}


def test_names_in_branches_are_text(tmp_path: Path) -> None:
    path = written(tmp_path / "m.onnx", IMAGE, branch, 7)
    path.write_bytes(path.read_bytes().replace(b"Clip", b"\xfflip"))
    with pytest.raises(ToolchainError, match="MDL001: a name is no text"):
        found(path, np.zeros(IMAGE, np.float32))


def test_sizes_that_a_file_gives_between_operators_are_compared(tmp_path: Path) -> None:
    m, path = OnnxWriter(), tmp_path / "m.onnx"
    model = m.model([2, 3, 4], m.node("Softmax", [m.node("Relu", ["x"])]), 9)
    x = np.random.default_rng(3).normal(0, 1, (2, 3, 4)).astype(np.float32)
    model.graph.value_info.append(onnx.helper.make_tensor_value_info("n0", 1, [2, 3]))
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ToolchainError, match="MDL006: 'n0' is 2x3x4"):
        found(path, x)


@pytest.mark.parametrize("opset", [0, 6])
def test_opsets_of_other_rules_are_refused(opset: int, tmp_path: Path) -> None:
    path = written(tmp_path / "m.onnx", [1, 4], lambda m: m.node("Relu", ["x"]), opset)
    with pytest.raises(ToolchainError, match="MDL038: its opset is"):
        found(path, np.zeros((1, 4), np.float32))


def test_an_opset_that_is_named_twice_is_one(tmp_path: Path) -> None:
    m, path = OnnxWriter(), tmp_path / "m.onnx"
    model = m.model([2, 3], m.node("Abs", ["x"]))
    model.opset_import.append(onnx.helper.make_opsetid("ai.onnx", 17))
    path.write_bytes(model.SerializeToString())
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    np.testing.assert_array_equal(found(path, x), np.abs(x))


def test_operators_of_a_file_without_an_opset_of_onnx_are_told(tmp_path: Path) -> None:
    m, path = OnnxWriter(), tmp_path / "m.onnx"
    model = m.model([1, 4], m.node("TreeEnsembleRegressor", ["x"], domain="ai.onnx.ml"))
    model.opset_import[0].domain = "ai.onnx.ml"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ToolchainError, match=r"MDL010: .* ai\.onnx\.ml\.TreeEnsembleRegressor"):
        found(path, np.zeros((1, 4), np.float32))

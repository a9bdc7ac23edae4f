"""Operators of ONNX and torch that op folders claim by Renames."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.discover.discover import discover
from opsmith.errors import Problem
from opsmith.ir import Array, Graph
from opsmith.op.index import OpIndex
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops
from tests.refusals import refusal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.pt2_models import Name, Pt2Writer
from tests.unit.frontend.test_onnx_operators import wanted

SHIPPED = ROOT / "ops"
OURS = ROOT / "tests/data/format_ops"
IMAGE = (1, 3, 4, 6)
RNG = np.random.default_rng(4)


@pytest.fixture(scope="module")
def ops() -> OpIndex:
    """The shipped ops, and those that claim operators of ONNX and torch."""
    return discover([SHIPPED, OURS])


def answer(path: Path, ops: OpIndex, x: Array) -> tuple[Array, Graph]:
    """Output of a model in numpy, and its graph."""
    _, graph = read(path, "m", ops)
    return np.asarray(Evaluator(graph, ops).run([x])[graph.outputs[0]]), graph


def problem(path: Path, ops: OpIndex) -> Problem:
    """The only problem of a model."""
    (found,) = refusal(read, path, "m", ops).problems
    return found


@pytest.mark.parametrize("opset", [11, 13, 17])
@pytest.mark.parametrize("axis", [1, -1])
def test_an_operator_that_nothing_reads_is_left_to_a_folder(
    m: OnnxWriter, ops: OpIndex, opset: int, axis: int
) -> None:
    w = m.constant(RNG.normal(0, 1, (3, 3, 1, 1)).astype(np.float32))
    y = m.node("Hardmax", [m.node("Conv", ["x", w])], axis=axis)
    path = m.save(m.folder / "m.onnx", ["n", *IMAGE[1:]], m.node("Conv", [y, w]), opset)
    x = RNG.normal(0, 1, IMAGE).astype(np.float32)
    assert "nothing reads ONNX's operator Hardmax" in problem(path, shipped_ops()).what
    found, graph = answer(path, ops, x.transpose(0, 2, 3, 1))
    assert "hardmax" in {each.op for each in graph.nodes}
    np.testing.assert_allclose(found.transpose(0, 3, 1, 2), wanted(path, x), rtol=1e-6)


def test_what_both_read_is_the_folders_where_it_says_so(m: OnnxWriter, ops: OpIndex) -> None:
    path = m.save(m.folder / "m.onnx", [3, 4], m.node("ThresholdedRelu", ["x"], alpha=0.5))
    x = np.append(RNG.normal(0, 1, 11), 0.5).astype(np.float32).reshape(3, 4)
    others, graph = answer(path, shipped_ops(), x)
    assert "threshold" not in {each.op for each in graph.nodes}
    found, graph = answer(path, ops, x)
    assert [each.op for each in graph.nodes] == ["threshold"]
    assert graph.nodes[0].remarks == ("threshold overrides onnx: one node in the place of several",)
    assert found.tolist() == wanted(path, x).tolist() == others.tolist()


def test_both_are_named_where_no_folder_overrides(m: OnnxWriter) -> None:
    threshold = (OURS / "threshold/op.py").read_text(encoding="utf-8")
    one = m.folder / "ops/threshold"
    one.mkdir(parents=True)
    for file in (OURS / "threshold").iterdir():
        if file.is_file():
            (one / file.name).write_bytes(file.read_bytes())
    said = 'overrides="onnx",'
    reason = 'reason="one node in the place of several",'
    (one / "op.py").write_text(threshold.replace(said, "").replace(reason, ""), encoding="utf-8")
    path = m.save(m.folder / "m.onnx", [3, 4], m.node("Relu", ["x"]))
    found = problem(path, discover([SHIPPED, m.folder / "ops"]))
    what = "source op 'onnx.ThresholdedRelu' is claimed by a folder, and the front end reads it"
    assert (found.code, found.what, found.where) == ("OPS005", what, str(one / "op.py"))
    (one / "op.py").write_text(threshold.replace(said, 'overrides="aten",'), encoding="utf-8")
    found = refusal(discover, [SHIPPED, m.folder / "ops"]).problems[0]
    assert (found.code, "'aten', which does not claim onnx.Thr" in found.what) == ("OPS006", True)


def test_an_operator_of_torch_is_left_to_a_folder(tmp_path: Path, ops: OpIndex) -> None:
    m = Pt2Writer((2, 5))
    y = m.call("relu", (2, 5), self=Name("x"))
    y = m.call("threshold", (2, 5), self=y, threshold=0.25, value=3.0)
    path = m.save(tmp_path / "m.pt2", m.call("neg", (2, 5), self=y))
    assert problem(path, shipped_ops()).what == "nothing reads torch's aten.threshold.default"
    x = np.array([[-1, 0.25, 0.5, 1, 2], [0, 0.1, 0.3, -9, 7]], np.float32)
    found, graph = answer(path, ops, x)
    assert [each.op for each in graph.nodes] == ["relu", "threshold", "neg"]
    assert found.tolist() == np.where(x > 0.25, -x, np.float32(-3)).tolist()


def test_a_shipped_op_is_an_operator_of_onnx_by_one_line(m: OnnxWriter) -> None:
    bits = m.constant(np.array([5, -7], np.int32))
    y = m.node("BitwiseXor", [m.node("Cast", ["x"], to=onnx.TensorProto.INT32), bits])
    path = m.save(m.folder / "m.onnx", [3, 2], m.node("Cast", [y], to=1), 18)
    x = RNG.integers(-99, 99, (3, 2)).astype(np.float32)
    found, graph = answer(path, shipped_ops(), x)
    assert [each.op for each in graph.nodes] == ["cast", "bitwise_xor", "cast"]
    assert found.tolist() == wanted(path, x).tolist()


def of_open_size(m: OnnxWriter) -> str:
    x = m.node("Hardmax", [m.node("Unknown", ["x"], domain="com.acme")])
    return m.node("Relu", [x])


def of_an_attribute(m: OnnxWriter) -> str:
    return m.node("Hardmax", ["x"], extent=0)


def of_no_shape(m: OnnxWriter) -> str:
    return m.node("Relu", [m.node("Hardmax", ["x"], axis=2)])


def of_an_input(m: OnnxWriter) -> str:
    return m.node("Hardmax", ["x", "x"])


def of_a_tensor(m: OnnxWriter) -> str:
    return m.node("Hardmax", ["x"], axis=onnx.numpy_helper.from_array(np.ones(2, np.float32)))


def of_a_domain(m: OnnxWriter) -> str:
    return m.node("Hardmax", ["x"], domain="com.microsoft")


@pytest.mark.parametrize(("code", "what", "make"), [
    ("MDL014", "nothing says what 'n0' is", of_open_size),
    ("MDL013", "option extent=0 is not known to hardmax (axis)", of_an_attribute),
    ("MDL014", "nothing says what 'n0' is", of_no_shape),
    ("MDL013", "2 inputs and 1 outputs, where hardmax has 1 and 1", of_an_input),
    ("MDL013", "an attribute or operand has a type or number", of_a_tensor),
    ("MDL010", "nothing reads ONNX's operator com.microsoft.Hardmax", of_a_domain),
])  # fmt: skip
def test_what_is_refused(
    m: OnnxWriter, ops: OpIndex, code: str, what: str, make: Callable[[OnnxWriter], Any]
) -> None:
    found = problem(m.save(m.folder / "m.onnx", [3, 4], make(m)), ops)
    assert (found.code, what in found.what) == (code, True), found

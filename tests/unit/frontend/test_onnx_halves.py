"""Tensors of float16 in .onnx files: weights are widened, and one refusal names all others."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import Problem
from opsmith.oracle.evaluate import NumpyReference
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.refusals import refusal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx

WEIGHTS = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float16)
FLOAT, HALF, BRAIN = (onnx.TensorProto.DataType.Value(n) for n in ("FLOAT", "FLOAT16", "BFLOAT16"))
Edit = Callable[[OnnxWriter], str]


def product(m: OnnxWriter, x: str = "x", to: int = FLOAT, by_node: bool = False) -> str:
    """Model of a product with weights of float16, which a Cast converts."""
    held = onnx.numpy_helper.from_array(WEIGHTS)
    constant = m.node("Constant", [], value=held) if by_node else m.constant(WEIGHTS)
    weights = m.node("Cast", [constant], to=to)
    return m.node("Gemm", [x, weights], transB=1)


@pytest.mark.parametrize("by_node", [False, True])
def test_weights_that_are_cast_to_float32_are_float32(by_node: bool, tmp_path: Path) -> None:
    m, wide = OnnxWriter(), OnnxWriter()
    y = wide.node("Gemm", ["x", wide.constant(WEIGHTS.astype(np.float32))], transB=1)
    files = (
        m.save(tmp_path / "m.onnx", [2, 8], product(m, by_node=by_node)),
        wide.save(tmp_path / "w.onnx", [2, 8], y),
    )
    given = [np.random.default_rng(1).normal(size=(2, 8)).astype(np.float32)]
    ops = shipped_ops()
    both = [NumpyReference(read(each, "m", ops)[1], ops).run(given)[0] for each in files]
    assert both[0].tobytes() == both[1].tobytes()


def between_casts(m: OnnxWriter) -> str:
    """Model of float16 between Casts, whose inputs and outputs are float32."""
    inner = m.node("Cast", ["x"], to=HALF)
    return m.node("Cast", [m.node("Gemm", [inner, m.constant(WEIGHTS)], transB=1)], to=FLOAT)


def constant(m: OnnxWriter) -> str:
    """Sum of x and a constant of float16 that a node holds."""
    held = onnx.numpy_helper.from_array(WEIGHTS[:1])
    return m.node("Add", ["x", m.node("Constant", [], value=held)])


@pytest.mark.parametrize(("build", "what"), [
    (between_casts, "float16 is not supported: 'c0', 'n0' are of it"),
    (constant, "float16 is not supported: 'n0' is of it"),
    (lambda m: product(m, to=HALF), "float16 is not supported: 'c0', 'n0' are of it"),
    (lambda m: m.node("Cast", ["x"], to=BRAIN), "bfloat16 is not supported: 'n0' is of it"),
    (lambda m: m.node("Gemm", [product(m), m.constants[0].name]),
     "float16 is not supported: 'c0' is of it"),
])  # fmt: skip
def test_a_model_that_computes_with_others_gets_one_error(
    build: Edit, what: str, m: OnnxWriter
) -> None:
    assert [(each.code, each.what) for each in refused(m, build(m), m.folder)] == [("MDL012", what)]


def test_inputs_and_outputs_are_named_first(m: OnnxWriter) -> None:
    model = m.model([1, 8], m.node("Gemm", ["x", m.constant(WEIGHTS)], transB=1))
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.elem_type = HALF
    path = m.folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    (problem,) = problems(path)
    assert problem.what == "float16 is not supported: 'x', 'n0' and 1 more are of it"
    assert "from before it was converted to float16" in problem.fix


def test_a_cast_of_nothing_is_told(m: OnnxWriter) -> None:
    model = m.model([1, 8], m.node("Add", ["x", m.node("Cast", [], to=FLOAT)]))
    (m.folder / "m.onnx").write_bytes(model.SerializeToString())
    assert [each.code for each in problems(m.folder / "m.onnx")] == ["MDL013"]


def refused(m: OnnxWriter, y: str, folder: Path) -> list[Problem]:
    return problems(m.save(folder / "m.onnx", [1, 8], y))


def problems(path: Path) -> list[Problem]:
    """Problems that reading a file reports."""
    return list(refusal(read, path, "m", shipped_ops()).problems)

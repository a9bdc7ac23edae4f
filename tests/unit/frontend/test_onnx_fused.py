"""Operators that onnxruntime's optimiser writes, beside the operators of ONNX that they fuse."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.onnx_nodes import answers
from tests.unit.frontend.onnx_cases import normal
from tests.unit.frontend.onnx_models import OnnxWriter
from tests.unit.frontend.test_onnx_operators import random
from tests.unit.frontend.test_onnx_relations import file_of

IMAGE, ROWS = (1, 2, 5, 6), (2, 4, 6)
Layer = Callable[[OnnxWriter, bool], str]
WEIGHTS, ADDENDS = normal(4, 2, 3, 3), normal(4)
SQUARE, ROW, LAST = normal(6, 6), normal(6), normal(6)


def own(m: OnnxWriter, kind: str, inputs: list[str], **options: object) -> str:
    """Output of a new operator of the domain com.microsoft."""
    return m.node(kind, inputs, domain="com.microsoft", **options)


def activated(function: str, numbers: list[float], **options: object) -> Layer:
    """Layer of a Conv, the sum with another and an activation."""

    def layer(m: OnnxWriter, fused: bool) -> str:
        inputs = ["x", m.constant(WEIGHTS), m.constant(ADDENDS)]
        other = m.node("Conv", inputs, pads=[1] * 4)
        if fused:
            given = {"activation": function, "pads": [1] * 4}
            given |= {"activation_params": numbers} if numbers else {}
            return own(m, "FusedConv", [*inputs, other], **given)
        y = m.node("Add", [m.node("Conv", inputs, pads=[1] * 4), other])
        bounds = [m.constant(np.float32(each)) for each in numbers] if function == "Clip" else []
        return m.node(function, [y, *bounds], **options)

    return layer


def gemm(m: OnnxWriter, fused: bool) -> str:
    """Gemm of rows and a LeakyRelu."""
    x = m.node("Reshape", ["x", m.constant(np.array([8, 6]))])
    inputs = [x, m.constant(SQUARE), m.constant(ROW)]
    if fused:
        given = {"activation": "LeakyRelu", "activation_alpha": 0.25}
        return own(m, "FusedGemm", inputs, transB=1, **given)
    return m.node("LeakyRelu", [m.node("Gemm", inputs, transB=1)], alpha=0.25)


def gelus(m: OnnxWriter, fused: bool) -> str:
    """Gelu of a sum, and Swish with the factor 1.702."""
    bias = m.constant(ROW)
    if fused:
        return own(m, "QuickGelu", [own(m, "BiasGelu", ["x", bias])])
    return m.node("Swish", [m.node("Gelu", [m.node("Add", ["x", bias])])], alpha=1.702)


def products(m: OnnxWriter, fused: bool) -> str:
    """Products of x and its transpose, and with a constant, times numbers."""
    if fused:
        y = own(m, "FusedMatMul", ["x", "x"], transA=1, alpha=0.5)
        return own(m, "FusedMatMul", [y, m.constant(SQUARE)], transB=1)
    turned = m.node("Transpose", ["x"], perm=[0, 2, 1])
    y = m.node("Mul", [m.node("MatMul", [turned, "x"]), m.constant(np.float32(0.5))])
    return m.node("MatMul", [y, m.constant(SQUARE.T)])


def skipping(simple: bool, **options: float) -> Layer:
    """Normalisation of the sum of two tensors and a bias, plus its factor and that sum."""

    def layer(m: OnnxWriter, fused: bool) -> str:
        y = m.node("Neg", ["x"])
        factors = [m.constant(ROW)] if simple else [m.constant(ROW), m.constant(LAST)]
        bias = m.constant(LAST)
        if fused:
            kind = "SkipSimplifiedLayerNormalization" if simple else "SkipLayerNormalization"
            made = own(m, kind, [y, "x", *factors, bias], **options)
            m.nodes[-1].output.extend(["", "factor", "sum"])
            return m.node("Add", [m.node("Add", [made, "factor"]), "sum"])
        total, given = m.node("Add", [m.node("Add", [y, "x"]), bias]), {"epsilon": 1e-12, **options}
        if simple:
            made = own(m, "SimplifiedLayerNormalization", [total, *factors], **given)
        else:
            made = m.node("LayerNormalization", [total, *factors], **given)
        m.nodes[-1].output.extend(["factor"] if simple else ["", "factor"])
        return m.node("Add", [m.node("Add", [made, "factor"]), total])

    return layer


CASES: list[tuple[Layer, tuple[int, ...]]] = [
    (activated("Relu", []), IMAGE),
    (activated("Clip", [-0.25, 0.5]), IMAGE),
    (activated("HardSigmoid", [0.25, 0.5], alpha=0.25, beta=0.5), IMAGE),
    (gemm, ROWS),
    (gelus, ROWS),
    (products, ROWS),
    (skipping(simple=False), ROWS),
    (skipping(simple=True, epsilon=0.01), ROWS),
    (skipping(simple=True), ROWS),
]


@pytest.mark.parametrize("case", CASES)
def test_each_computes_what_it_fuses(case: tuple[Layer, tuple[int, ...]], tmp_path: Path) -> None:
    layer, shape = case
    x = random(shape)
    found: list[Array] = []
    for fused in (False, True):
        m = OnnxWriter()
        y = layer(m, fused)
        found += answers(file_of(m, {"x": x}, [y], tmp_path), {"x": x}, [y], [True])
    assert found[0].tolist() == found[1].tolist()
    assert np.std(found[0]) > 0


@pytest.mark.parametrize(("kind", "options", "why"), [
    ("FusedMatMul", {"transBatchA": 1}, "its batches are not read as rows"),
    ("FusedConv", {"activation": "Softmax"}, "its activation is not read"),
    ("SkipSimplifiedLayerNormalization", {}, "it has no mean to output"),
])  # fmt: skip
def test_others_are_refused(kind: str, options: dict[str, object], why: str, m: OnnxWriter) -> None:
    y = own(m, kind, ["x", m.constant(WEIGHTS)], **options)
    m.nodes[-1].output.append("mean")
    with pytest.raises(ToolchainError, match=why):
        read(file_of(m, {"x": random(IMAGE)}, [y], m.folder), "m", shipped_ops())


@pytest.mark.parametrize(("kind", "operands", "options", "why"), [
    ("BiasGelu", 3, {}, "operand 'z', operand 'z'"),
    ("QuickGelu", 0, {"axis": 1}, "attribute 'axis'"),
    ("DynamicQuantizeMatMul", 5, {"to": 1}, "operand 'z', attribute 'to'"),
    ("MatMulInteger", 3, {"transB": 1}, "attribute 'transB'"),
])  # fmt: skip
def test_what_a_later_release_adds_is_refused(
    kind: str, operands: int, options: dict[str, object], why: str, m: OnnxWriter
) -> None:
    domain = "" if kind == "MatMulInteger" else "com.microsoft"
    z = m.constant(WEIGHTS)
    y = m.node(kind, ["x", *[z] * operands], domain=domain, **options)
    with pytest.raises(ToolchainError) as caught:
        read(file_of(m, {"x": random(IMAGE)}, [y], m.folder), "m", shipped_ops())
    (problem,) = caught.value.problems
    assert problem.what == "it is not read with " + why.replace("'z'", f"'{z}'")

"""Each operator that the ONNX front end reads, by itself, beside onnx.reference."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.frontend.onnx.operators import HANDLERS
from opsmith.frontend.onnx.relations import RELATIONS
from opsmith.ir import Array
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_cases import (
    CASES,
    IMAGE,
    OF_SHARES,
    POINT,
    QUANTISED,
    RNG,
    SCALE,
    SHARES,
    WEIGHT,
    WEIGHTED,
    Case,
    normal,
)
from tests.unit.frontend.onnx_models import OnnxWriter, onnx


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_float_operators_are_near_the_reference(m: OnnxWriter, case: Case) -> None:
    kind, constants, options, _, shape = case
    given = ["" if each is None else m.constant(each) for each in constants]
    path = saved(m, m.node(kind, ["x", *given], **options), m.folder, shape)
    x = random(shape)
    near(found(path, x), wanted(path, x), rtol=1e-5, atol=5e-6)


@pytest.mark.slow
@pytest.mark.parametrize("case", QUANTISED, ids=lambda case: case[0])
def test_quantised_operators_are_the_reference_or_one_element_beside(
    m: OnnxWriter, case: Case
) -> None:
    kind, constants, options, far, shape = case
    given = ["" if each is None else operand(m, kind, each) for each in constants]
    y = m.node(kind, [m.through("x", SCALE, POINT), *given], **options)
    scale, point = OF_SHARES if kind in SHARES else (SCALE, POINT)
    path = saved(m, m.through(y, scale, point), m.folder, shape)
    x = random(shape) * np.float32(3)
    elements = np.clip(np.rint(x / np.float32(SCALE)) + POINT, -128, 127).astype(np.int8)
    integers = np.rint(wanted(path, x) / np.float32(scale)) + point
    near(found(path, elements), integers, rtol=0, atol=far or 0)


ONCE = ("AveragePool", "GlobalAveragePool", "ReduceMean", "Resize")  # rounded once, exactly


@pytest.mark.parametrize("case", [c for c in QUANTISED if c[0] in ONCE], ids=lambda case: case[0])
def test_means_differ_from_the_reference_at_halves_alone(tmp_path: Path, case: Case) -> None:
    kind, constants, options, _, shape = case
    paths = []
    for rounded in (False, True):
        (folder := tmp_path / str(rounded)).mkdir()
        m = OnnxWriter()
        given = ["" if each is None else m.constant(each) for each in constants]
        y = m.node(kind, [m.through("x", SCALE, POINT) if rounded else "x", *given], **options)
        paths.append(saved(m, m.through(y, SCALE, POINT) if rounded else y, folder, shape))
    random = np.random.default_rng(7)
    for _ in range(5):
        elements = random.integers(-90, 90, shape).astype(np.int8)
        lifted = elements.astype(np.float32) - POINT
        steps = wanted(paths[0], lifted)
        halves = np.abs(steps % 1 - 0.5) < 1e-4  # where noise of float32 decides there
        ours = found(paths[1], elements).reshape(steps.shape)
        assert np.all((ours == np.rint(steps) + POINT) | halves)
        theirs = np.rint(wanted(paths[1], lifted * np.float32(SCALE)) / np.float32(SCALE))
        assert np.all((ours == theirs + POINT) | halves)


@pytest.mark.parametrize("apart", [False, True])
def test_a_normalisation_becomes_part_of_the_layer_that_it_alone_reads(
    m: OnnxWriter, apart: bool
) -> None:
    weights = [m.constant(normal(6, 2, 3, 3)), m.constant(normal(6))]
    y = m.node("Conv", ["x", *weights], group=2)
    kept = [m.constant(each) for each in (normal(6), normal(6), normal(6), normal(6) ** 2)]
    z = m.node("BatchNormalization", [m.node("BatchNormalization", [y, *kept]), *kept])
    z = m.node("Relu", [z])
    path = saved(m, m.node("Add", [y, z]) if apart else z, m.folder, IMAGE)
    x = random(IMAGE)
    near(found(path, x), wanted(path, x), rtol=1e-5, atol=1e-4)
    ops = [node.op for node in read(path, "m", shipped_ops())[1].nodes]
    assert ops.count("mul") == (2 if apart else 0)


def test_an_image_that_is_flat_twice_is_not_turned(m: OnnxWriter) -> None:
    flat = m.node("Flatten", [m.node("Flatten", ["x"])])
    path = saved(m, m.node("Gemm", [flat, m.constant(normal(192, 5))]), m.folder, IMAGE)
    x = random(IMAGE)
    near(found(path, x), wanted(path, x), rtol=1e-5, atol=5e-6)
    assert "layout: 0 transposes are left" in read(path, "m", shipped_ops())[0].assumed


@pytest.mark.parametrize("quantised", [False, True])
def test_an_image_that_is_scaled_and_turned_keeps_its_layout(
    m: OnnxWriter, quantised: bool
) -> None:
    if quantised:
        y = m.through("x", SCALE, POINT)
    else:
        y = m.node("Mul", [m.node("Sub", ["x", m.constant(normal(3))]), m.constant(normal(1))])
    y = m.node("Transpose", [y], perm=[0, 3, 1, 2])
    y = m.node("Conv", [y, m.constant(normal(2, 3, 3, 3))])
    path = saved(m, m.node("Transpose", [y], perm=[0, 2, 3, 1]), m.folder, (1, 5, 7, 3))
    model, graph = read(path, "m", shipped_ops())
    assert graph.tensors[graph.inputs[0]].shape == (1, 5, 7, 3)
    assert "layout: 0 transposes are left" in model.assumed
    assert not any("channels last" in each for each in model.assumed)


@pytest.mark.parametrize("kind", ["Sigmoid", "Tanh", "Softmax"])
def test_any_scale_of_the_output_is_read(m: OnnxWriter, kind: str) -> None:
    y = m.through(m.node(kind, [m.through("x", SCALE, POINT)]), 0.0071, -11)
    path = saved(m, y, m.folder, (1, 256))
    every = np.arange(-128, 128, dtype=np.int8)[None]
    x = (every.astype(np.float32) - POINT) * np.float32(SCALE)
    integers = np.rint(wanted(path, x) / np.float32(0.0071)) - 11
    near(found(path, every), integers, rtol=0, atol=kind == "Softmax")
    told = read(path, "m", shipped_ops())[0].assumed
    assert not any("may differ by one" in each for each in told)


def test_what_stays_float_is_computed_in_float(m: OnnxWriter) -> None:
    weights = m.weights(RNG.integers(-127, 128, (5, 8), np.int8), WEIGHT)
    y = m.node("Gemm", [m.through("x", SCALE, POINT), weights], transB=1)
    path = saved(m, m.node("Softmax", [y]), m.folder, (1, 8))
    x = random((1, 8))
    elements = np.clip(np.rint(x / np.float32(SCALE)) + POINT, -128, 127).astype(np.int8)
    near(found(path, elements), wanted(path, x), rtol=1e-5, atol=1e-6)
    told = read(path, "m", shipped_ops())[0].assumed
    assert any("(Gemm): computed in float32, as the file literally has it" in e for e in told)


@pytest.mark.parametrize("kind", ["Shape", "Size"])
def test_sizes_of_integers_are_not_computed_in_float(kind: str, m: OnnxWriter) -> None:
    x = m.through("x", SCALE, POINT)
    count = m.node("Reshape", [m.node(kind, [x]), m.constant(np.array([-1]))])
    y = m.through(m.node("Reshape", [x, count]), SCALE, POINT)
    path = saved(m, y, m.folder, (1, 8) if kind == "Shape" else (2, 4))
    model, graph = read(path, "m", shipped_ops())
    assert not any("computed in float32" in each for each in model.assumed)
    assert {t.dtype.name for t in graph.tensors.values() if t.constant is None} == {"int8"}


@pytest.mark.parametrize("sizes", [[1, 3], None])
def test_parts_of_a_split_are_joined_the_other_way_round(
    m: OnnxWriter, sizes: Sequence[int] | None
) -> None:
    inputs = ["x"] if sizes is None else ["x", m.constant(np.array(sizes))]
    m.nodes.append(onnx.helper.make_node("Split", inputs, ["a", "b"], axis=1))
    if sizes is None:
        m.nodes[0].attribute.append(onnx.helper.make_attribute("num_outputs", 2))
    path = saved(m, m.node("Concat", ["b", "a"], axis=1), m.folder, IMAGE)
    x = random(IMAGE)
    near(found(path, x), wanted(path, x), rtol=0, atol=0)


def test_every_operator_has_a_case() -> None:
    quantisers = {"QuantizeLinear", "DequantizeLinear"}
    elsewhere = {"Attention", "Cast", "Concat", "Dropout", "Erf", "GRU", "Identity", "LRN", "LSTM"}
    elsewhere |= {"If", "OneHot", "RNN", "Shape", "Size", "Split", "TopK", *RELATIONS}
    assert {case[0] for case in CASES} | elsewhere | quantisers == {*HANDLERS}


def random(shape: Sequence[int]) -> Array:
    """Random array that does not depend on the tests that ran before."""
    return np.random.default_rng(43).normal(0, 0.5, shape).astype(np.float32)


def operand(m: OnnxWriter, kind: str, array: Any) -> str:
    """Name of a constant operand, quantised where the operator computes with its elements."""
    bias = np.ndim(array) == 1 and kind in ("Conv", "ConvTranspose", "Gemm")
    if kind not in WEIGHTED or bias:
        return m.constant(array)
    return m.weights(np.clip(np.rint(array / WEIGHT), -127, 127).astype(np.int8), WEIGHT)


def saved(m: OnnxWriter, y: str, folder: Path, shape: Sequence[int]) -> Path:
    """Path of the model, saved with an opset that has all the operators."""
    path = folder / "m.onnx"
    path.write_bytes(m.model(shape, y, opset=24).SerializeToString())
    return path


def found(path: Path, x: Array) -> Array:
    """Output of the legal graph, with axes in ONNX's order."""
    model, graph = read(path, "m", shipped_ops())
    turned = any("channels last" in each for each in model.assumed)
    given = np.moveaxis(x, 1, -1) if turned else x
    y = np.asarray(Evaluator(graph, shipped_ops()).run([given])[graph.outputs[0]])
    orders = [each.split("in order ")[1] for each in model.assumed if "in order " in each]
    order = [int(axis) for axis in orders[0].split()] if orders else range(y.ndim)
    return y.transpose(np.argsort(order))


def near(y: Array, other: Array, rtol: float, atol: float) -> None:
    """Raise where arrays differ; axes of one element may be elsewhere where one alone is longer."""
    assert y.shape == other.shape or max(y.shape) == y.size == other.size
    np.testing.assert_allclose(y.reshape(other.shape), other, rtol=rtol, atol=atol)


def wanted(path: Path, x: Array) -> Array:
    """Output of the model by onnx.reference."""
    from onnx.reference import ReferenceEvaluator

    outputs: list[Any] = [*ReferenceEvaluator(onnx.load(path)).run(None, {"x": x})]
    return np.asarray(outputs[0])

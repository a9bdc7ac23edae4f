"""Each operator that the ONNX front end reads, by itself, beside onnx.reference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.frontend.onnx.operators import HANDLERS
from opsmith.frontend.onnx.values import CHANNELS_LAST
from opsmith.ir import Array
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_models import OnnxWriter, onnx

RNG = np.random.default_rng(42)
IMAGE = (1, 4, 6, 8)
SCALE, POINT = 0.05, 3
WEIGHT = 0.0125  # scale of constants
OF_SHARES = 1 / 256, -128  # scale and zero point
SHARES = ("Softmax",)
WEIGHTED = ("PRelu", "Add", "Sub", "Mul", "Div", "Conv", "ConvTranspose", "MatMul", "Gemm")


def normal(*shape: int) -> Array:
    """Elements of float32 around 0."""
    return RNG.normal(0, 0.5, shape).astype(np.float32)


# Operator, the constants after x, attributes, how far a quantised output may be from ONNX's
# float32 (None: it is read in float32 alone), and the shape of x.
Case = tuple[str, Sequence[Any], dict[str, Any], int | None, Sequence[int]]
IMAGES: list[tuple[str, Sequence[Any], dict[str, Any], int | None]] = [
    ("Add", [normal(4, 1, 1)], {}, 0),
    ("Sub", [normal(1, 4, 6, 8)], {}, 0),
    ("Mul", [normal(8)], {}, 0),
    ("Div", [normal(4, 1, 1) + np.float32(3)], {}, 1),
    *((kind, [np.float32(0.75)], {}, 0) for kind in ("Add", "Sub", "Mul", "Div")),
    ("Relu", [], {}, 0),
    ("Sigmoid", [], {}, 0),
    ("Tanh", [], {}, 0),
    ("HardSwish", [], {}, 0),
    ("LeakyRelu", [], {"alpha": 0.2}, 0),
    ("Gelu", [], {}, 0),
    ("Gelu", [], {"approximate": "tanh"}, 0),
    ("Clip", [np.float32(0), np.float32(6)], {}, 0),
    ("Clip", [np.float32(0)], {}, 0),
    ("Clip", [np.float32(-0.3), np.float32(0.7)], {}, 0),
    ("Elu", [], {}, 0),
    ("HardSigmoid", [], {}, 0),
    ("HardSigmoid", [], {"alpha": 0.3, "beta": 0.4}, 0),
    ("PRelu", [np.float32(0.3)], {}, 0),
    ("PRelu", [normal(4, 1, 1)], {}, 0),
    *((kind, [], {}, 0) for kind in ("Abs", "Neg", "Exp", "Sin", "Cos", "Ceil", "Floor", "Round")),
    *((kind, [], {}, None) for kind in ("Log", "Sqrt")),
    ("Max", [normal(8)], {}, 1),
    ("Min", [np.float32(0.2)], {}, 0),
    ("Softmax", [], {"axis": 1}, 1),
    ("Softmax", [], {"axis": -1}, 1),
    ("Conv", [normal(6, 4, 3, 3), normal(6)], {"pads": [1, 1, 1, 1]}, 1),
    ("Conv", [normal(8, 1, 3, 3)], {"group": 4, "dilations": [2, 2]}, 1),
    ("Conv", [normal(6, 2, 3, 3)], {"group": 2, "auto_pad": "SAME_UPPER"}, 1),
    ("ConvTranspose", [normal(4, 5, 3, 3), normal(5)], {"strides": [2, 2]}, 1),
    (
        "ConvTranspose",
        [normal(4, 2, 3, 3)],
        {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]},
        1,
    ),
    ("MatMul", [normal(8, 3)], {}, 1),
    ("MaxPool", [], {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 0]}, 0),
    ("MaxPool", [], {"kernel_shape": [3, 3], "strides": [2, 3], "ceil_mode": 1}, 0),
    ("MaxPool", [], {"kernel_shape": [2, 2], "strides": [4, 3], "ceil_mode": 1}, 0),
    ("AveragePool", [], {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}, 1),
    ("AveragePool", [], {"kernel_shape": [3] * 2, "pads": [1] * 4, "count_include_pad": 1}, 1),
    ("GlobalAveragePool", [], {}, 1),
    ("ReduceMean", [np.array([2, 3])], {}, 1),
    ("ReduceMean", [np.array([-1])], {"keepdims": 0}, 1),
    ("ReduceSum", [np.array([1])], {"keepdims": 0}, 1),
    ("ReduceMax", [np.array([2, 3])], {"keepdims": 0}, 0),
    ("ReduceMin", [np.array([1])], {}, 0),
    ("ReduceMax", [], {}, 0),
    ("Slice", [np.array([1, -5]), np.array([9, -1]), np.array([2, 3])], {}, 0),
    ("Slice", [np.array([-1]), np.array([-99]), np.array([3]), np.array([-2])], {}, 0),
    ("Pad", [np.array([0, 1, 2, 0, 0, 1, 0, 3])], {}, 0),
    ("Pad", [np.array([1, 2]), np.float32(-np.inf), np.array([3])], {}, None),
    ("Pad", [np.zeros(8, np.int64)], {}, 0),
    ("Pad", [np.array([1, 2]), np.float32(-0.4), np.array([3])], {}, 0),
    ("Pad", [np.array([0, 0, 2, 1, 0, 0, 1, 0])], {"mode": "reflect"}, 0),
    ("Gather", [np.array([3, -1, 0])], {"axis": 1}, 0),
    ("Gather", [np.array(2)], {"axis": 1}, 0),
    ("Gather", [np.array([[0, 1], [2, 3]])], {"axis": 3}, 0),
    ("Resize", [None, np.array([1, 1, 2, 3], np.float32)],
     {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, 0),
    ("Resize", [None, np.array([1, 1, 2, 2], np.float32)], {}, 0),
    ("Resize", [None, None, np.array([1, 4, 9, 4])], {"mode": "linear"}, 1),
    ("Resize", [None, None, np.array([1, 4, 11, 15])],
     {"mode": "linear", "coordinate_transformation_mode": "align_corners"}, 1),
    *(("Resize", [None, None, np.array([1, 4, size, 16])],
       {"mode": "linear", "coordinate_transformation_mode": f"{name}"}, 1)
      for name, size in (("asymmetric", 5), ("pytorch_half_pixel", 3))),
    ("Transpose", [], {"perm": [0, 2, 3, 1]}, 0),
    ("Reshape", [np.array([0, 8, -1])], {}, 0),
    ("Flatten", [], {"axis": 2}, 0),
    ("Unsqueeze", [np.array([0])], {}, 0),
    ("Squeeze", [np.array([0])], {}, 0),
    ("Squeeze", [], {}, 0),
    ("BatchNormalization", [*normal(3, 4), normal(4) ** 2], {"epsilon": 0.01}, 1),
    ("LayerNormalization", [normal(8), normal(8)], {}, 1),
    ("LayerNormalization", [normal(4, 6, 8)], {"axis": 1}, None),
]  # fmt: skip
ROWS: list[tuple[str, Sequence[Any], dict[str, Any], int | None]] = [
    ("Gemm", [normal(5, 8), normal(5)], {"transB": 1}, 1),
    ("MatMul", [normal(8, 3)], {}, 1),
    ("Softmax", [], {}, 1),
    ("BatchNormalization", [normal(8), normal(8), normal(8), normal(8) ** 2], {}, 1),
    ("LayerNormalization", [normal(8), normal(8)], {}, 1),
    ("ReduceMean", [np.array([1])], {}, 1),
]
ROUNDED = [None, None, np.array([1, 2, 31, 5])]  # 31 / 7 in float32, times 7, is not 31
CASES: list[Case] = [
    ("Resize", ROUNDED, {"mode": "linear"}, 1, (1, 2, 7, 5)),
    *((*each, IMAGE) for each in IMAGES),
    *((*each, (3, 8)) for each in ROWS),
]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_float_operators_are_near_the_reference(tmp_path: Path, case: Case) -> None:
    kind, constants, options, _, shape = case
    m = OnnxWriter()
    given = ["" if each is None else m.constant(each) for each in constants]
    path = saved(m, m.node(kind, ["x", *given], **options), tmp_path, shape)
    x = random(shape)
    near(found(path, x), wanted(path, x), rtol=1e-5, atol=5e-6)


QUANTISED = [case for case in CASES if case[3] is not None]


@pytest.mark.parametrize("case", QUANTISED, ids=lambda case: case[0])
def test_quantised_operators_are_the_reference_or_one_element_beside(
    tmp_path: Path, case: Case
) -> None:
    kind, constants, options, far, shape = case
    m = OnnxWriter()
    given = ["" if each is None else operand(m, kind, each) for each in constants]
    y = m.node(kind, [m.through("x", SCALE, POINT), *given], **options)
    scale, point = OF_SHARES if kind in SHARES else (SCALE, POINT)
    path = saved(m, m.through(y, scale, point), tmp_path, shape)
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
    tmp_path: Path, apart: bool
) -> None:
    m = OnnxWriter()
    weights = [m.constant(normal(6, 2, 3, 3)), m.constant(normal(6))]
    y = m.node("Conv", ["x", *weights], group=2)
    kept = [m.constant(each) for each in (normal(6), normal(6), normal(6), normal(6) ** 2)]
    z = m.node("BatchNormalization", [m.node("BatchNormalization", [y, *kept]), *kept])
    z = m.node("Relu", [z])
    path = saved(m, m.node("Add", [y, z]) if apart else z, tmp_path, IMAGE)
    x = random(IMAGE)
    near(found(path, x), wanted(path, x), rtol=1e-5, atol=1e-4)
    ops = [node.op for node in read(path, "m", shipped_ops())[1].nodes]
    assert ops.count("mul") == (2 if apart else 0)


def test_an_image_that_is_flat_twice_is_not_turned(tmp_path: Path) -> None:
    m = OnnxWriter()
    flat = m.node("Flatten", [m.node("Flatten", ["x"])])
    path = saved(m, m.node("Gemm", [flat, m.constant(normal(192, 5))]), tmp_path, IMAGE)
    x = random(IMAGE)
    near(found(path, x), wanted(path, x), rtol=1e-5, atol=5e-6)
    assert "layout: 0 transposes are left" in read(path, "m", shipped_ops())[0].assumed


@pytest.mark.parametrize("kind", ["Sigmoid", "Tanh", "Softmax"])
def test_any_scale_of_the_output_is_read(tmp_path: Path, kind: str) -> None:
    m = OnnxWriter()
    y = m.through(m.node(kind, [m.through("x", SCALE, POINT)]), 0.0071, -11)
    path = saved(m, y, tmp_path, (1, 256))
    every = np.arange(-128, 128, dtype=np.int8)[None]
    x = (every.astype(np.float32) - POINT) * np.float32(SCALE)
    integers = np.rint(wanted(path, x) / np.float32(0.0071)) - 11
    near(found(path, every), integers, rtol=0, atol=kind == "Softmax")
    told = read(path, "m", shipped_ops())[0].assumed
    assert not any("may differ by one" in each for each in told)


def test_what_stays_float_is_computed_in_float(tmp_path: Path) -> None:
    m = OnnxWriter()
    weights = m.weights(RNG.integers(-127, 128, (5, 8), np.int8), WEIGHT)
    y = m.node("Gemm", [m.through("x", SCALE, POINT), weights], transB=1)
    path = saved(m, m.node("Softmax", [y]), tmp_path, (1, 8))
    x = random((1, 8))
    elements = np.clip(np.rint(x / np.float32(SCALE)) + POINT, -128, 127).astype(np.int8)
    near(found(path, elements), wanted(path, x), rtol=1e-5, atol=1e-6)
    told = read(path, "m", shipped_ops())[0].assumed
    assert any("(Gemm): computed in float32, as the file literally has it" in e for e in told)


@pytest.mark.parametrize("sizes", [[1, 3], None])
def test_parts_of_a_split_are_joined_the_other_way_round(
    tmp_path: Path, sizes: Sequence[int] | None
) -> None:
    m = OnnxWriter()
    inputs = ["x"] if sizes is None else ["x", m.constant(np.array(sizes))]
    m.nodes.append(onnx.helper.make_node("Split", inputs, ["a", "b"], axis=1))
    if sizes is None:
        m.nodes[0].attribute.append(onnx.helper.make_attribute("num_outputs", 2))
    path = saved(m, m.node("Concat", ["b", "a"], axis=1), tmp_path, IMAGE)
    x = random(IMAGE)
    near(found(path, x), wanted(path, x), rtol=0, atol=0)


def test_every_operator_has_a_case() -> None:
    quantisers = {"QuantizeLinear", "DequantizeLinear"}
    elsewhere = {"Attention", "Concat", "GRU", "LSTM", "Split"}
    assert {case[0] for case in CASES} | elsewhere | quantisers == {*HANDLERS}


def random(shape: Sequence[int]) -> Array:
    """An input, which does not depend on the tests that ran before."""
    return np.random.default_rng(43).normal(0, 0.5, shape).astype(np.float32)


def operand(m: OnnxWriter, kind: str, array: Any) -> str:
    """A constant, quantised where the operator computes with its elements."""
    bias = np.ndim(array) == 1 and kind in ("Conv", "ConvTranspose", "Gemm")
    if kind not in WEIGHTED or bias:
        return m.constant(array)
    return m.weights(np.clip(np.rint(array / WEIGHT), -127, 127).astype(np.int8), WEIGHT)


def saved(m: OnnxWriter, y: str, folder: Path, shape: Sequence[int]) -> Path:
    """The model as a file of an opset that has all the operators."""
    path = folder / "m.onnx"
    path.write_bytes(m.model(shape, y, opset=20).SerializeToString())
    return path


def found(path: Path, x: Array) -> Array:
    """The output of the legal graph, with its axes as ONNX has them."""
    model, graph = read(path, "m", shipped_ops())
    turned = any("channels last" in each for each in model.assumed)
    given = x.transpose(CHANNELS_LAST) if turned else x
    y = np.asarray(Evaluator(graph, shipped_ops()).run([given])[graph.outputs[0]])
    orders = [each.split("in order ")[1] for each in model.assumed if "in order " in each]
    order = [int(axis) for axis in orders[0].split()] if orders else range(y.ndim)
    return y.transpose(np.argsort(order))


def near(y: Array, other: Array, rtol: float, atol: float) -> None:
    """Raise where arrays differ; axes of one element may be elsewhere where one alone is longer."""
    assert y.shape == other.shape or max(y.shape) == y.size == other.size
    np.testing.assert_allclose(y.reshape(other.shape), other, rtol=rtol, atol=atol)


def wanted(path: Path, x: Array) -> Array:
    """The output by onnx.reference."""
    from onnx.reference import ReferenceEvaluator

    outputs: list[Any] = [*ReferenceEvaluator(onnx.load(path)).run(None, {"x": x})]
    return np.asarray(outputs[0])

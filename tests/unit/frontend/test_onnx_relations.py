"""Relations of elements, and what reads the bool that they make, beside onnx.reference."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.onnx.relations import OF_INTEGERS, RELATIONS
from opsmith.ir import Array
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.onnx_nodes import answers
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import found, near, random, saved, wanted

COMPARED = ("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal")
JOINED = ("And", "Or", "Xor", "Equal")
A, B = (1, 3, 2, 4), (3, 1, 4)


def file_of(m: OnnxWriter, given: Mapping[str, Array], names: list[str], folder: Path) -> Path:
    """Path of a model with the given inputs and outputs."""
    types = {name: onnx.helper.np_dtype_to_tensor_dtype(x.dtype) for name, x in given.items()}
    inputs = [
        onnx.helper.make_tensor_value_info(name, types[name], x.shape) for name, x in given.items()
    ]
    outputs = [onnx.helper.make_tensor_value_info(name, 1, None) for name in names]
    graph = onnx.helper.make_graph(m.nodes, "main", inputs, outputs, m.constants)
    versions = [onnx.helper.make_opsetid("", 24), onnx.helper.make_opsetid("com.microsoft", 1)]
    path = folder / "m.onnx"
    path.write_bytes(onnx.helper.make_model(graph, opset_imports=versions).SerializeToString())
    return path


def check(m: OnnxWriter, given: dict[str, Array], names: list[str], folder: Path) -> None:
    """Raise where an output's elements or type differ from the reference's."""
    from onnx.reference import ReferenceEvaluator

    path = file_of(m, given, names, folder)
    theirs: list[Any] = [*ReferenceEvaluator(str(path)).run(None, given)]
    ours = answers(path, given, names, [each.dtype == np.float32 for each in theirs])
    for y, other in zip(ours, theirs, strict=True):
        assert y.dtype == other.dtype
        assert y.tolist() == other.tolist()


def numbers(dtype: str, *shape: int) -> Array:
    """Random elements from few numbers, so that many are equal."""
    return np.random.default_rng(sum(shape)).integers(-2, 3, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_numbers_are_compared_and_chosen(dtype: str, m: OnnxWriter) -> None:
    names = [m.node(kind, pair) for kind in COMPARED for pair in (["a", "b"], ["b", "a"])]
    names += [m.node(kind, [m.constant(numbers(dtype, 2, 1)), "a"]) for kind in COMPARED]
    names += [m.node("Where", [name, "b", "a"]) for name in names[:2]]
    names += [m.node("Where", [names[0], m.constant(numbers(dtype, 1, 1, 1, 1, 4)), "a"])]
    names += [m.node("Cast", [names[0]], to=to) for to in (1, 6, 7)]
    names += [m.node("Cast", ["a"], to=to) for to in (6, 7, 9)]
    check(m, {"a": numbers(dtype, *A), "b": numbers(dtype, *B)}, names, m.folder)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_are_computed(dtype: str, m: OnnxWriter) -> None:
    names = [m.node(kind, pair) for kind in OF_INTEGERS for pair in (["a", "b"], ["b", "a"])]
    divisors = m.constant(np.array([[3], [-2]], dtype))
    names += [m.node("Mod", ["a", divisors]), m.node("Sub", [divisors, "a"])]
    check(m, {"a": numbers(dtype, *A), "b": numbers(dtype, *B)}, names, m.folder)


def test_bools_are_joined_and_moved(m: OnnxWriter) -> None:
    a, b = (numbers("int32", *shape) > 0 for shape in (A, B))
    names = [m.node(kind, pair) for kind in JOINED for pair in (["a", "b"], ["b", "a"])]
    names += [m.node(kind, ["a", m.constant(b)]) for kind in JOINED]
    names += [m.node("Not", ["a"]), m.node("Where", ["a", "b", m.constant(b[:1])])]
    names += [
        m.node("Where", [m.constant(b), m.constant(np.float32(2)), m.node("Cast", ["a"], to=1)])
    ]
    names += [m.node("Transpose", ["a"], perm=[3, 0, 2, 1])]
    names += [m.node("Reshape", ["a", m.constant(np.array([2, 12]))])]
    check(m, {"a": a, "b": b}, names, m.folder)


@pytest.mark.parametrize("kind", [*COMPARED, "Where"])
def test_quantised_operands_are_those_of_the_file(kind: str, m: OnnxWriter) -> None:
    a = m.through("a", 0.05, 3)
    b = m.weights(numbers("int8", *B), 0.1)
    y = m.node("Greater" if kind == "Where" else kind, [a, b])
    if kind == "Where":
        y = m.through(m.node(kind, [y, m.through(m.node("Neg", [a]), 0.1, -5), b]), 0.07, 1)
    check(m, {"a": numbers("float32", *A) / np.float32(10)}, [y], m.folder)


@pytest.mark.parametrize(("kind", "operands"), [
    ("Greater", [np.int32(1)]),
    ("Greater", [np.int64(1), np.int64(2)]),
    ("And", [np.int64(1)]),
    ("Not", []),
    ("Where", [np.int64(1), np.int64(2)]),
    ("Relu", []),
    ("Div", [np.int64(1)]),
    ("Concat", []),
    *((each, ["bools"]) for each in OF_INTEGERS),
    ("QuantizeLinear", [np.float32(0.1), np.int8(0)]),
])  # fmt: skip
def test_other_types_are_refused(kind: str, operands: list[Any], m: OnnxWriter) -> None:
    x = "x"
    if operands == ["bools"]:
        x, operands = m.node("Greater", ["x", m.constant(np.int64(0))]), [np.array([True])]
    y = m.node(kind, [x, *map(m.constant, operands)], **({"axis": 0} if kind == "Concat" else {}))
    path = file_of(m, {"x": numbers("int64", 2, 4)}, [y], m.folder)
    with pytest.raises(ToolchainError, match="MDL01[23]: it (is not read of|has not)"):
        read(path, "m", shipped_ops())


@pytest.mark.parametrize(("x", "constant", "op"), [
    ((4,), (4, 3), "fully_connected"),
    ((4,), (4,), "fully_connected"),
    ((1, 2, 3, 4), (4,), "fully_connected"),
    ((4,), (1, 4, 3), "fully_connected"),
    ((2, 4), (1, 1, 4, 3), "fully_connected"),
    ((1, 2, 3, 4), (1, 4, 3), "fully_connected"),
    ((4,), (2, 4, 3), "batch_matmul"),
    ((2, 4), (2, 4, 3), "batch_matmul"),
    ((2, 4, 3), (4,), "batch_matmul"),  # the constant first
])  # fmt: skip
def test_a_vector_is_a_row_or_a_column_of_products(
    x: tuple[int, ...], constant: tuple[int, ...], op: str, m: OnnxWriter
) -> None:
    operands = ["x", m.constant(random(constant))]
    first = len(x) == 3
    y = m.node("Relu", [m.node("MatMul", operands[::-1] if first else operands)])
    path = saved(m, y, m.folder, x)
    near(found(path, random(x)), wanted(path, random(x)), rtol=1e-5, atol=1e-6)
    assert op in [node.op for node in read(path, "m", shipped_ops())[1].nodes]


@pytest.mark.parametrize(("shape", "point"), [((4,), 0), ((4,), 5), ((1, 4, 3), 0)])
def test_a_quantised_vector_is_a_column_of_products(
    shape: tuple[int, ...], point: int, tmp_path: Path
) -> None:
    m, random = OnnxWriter(), np.random.default_rng(5)
    array = m.constant(random.integers(-127, 128, shape).astype(np.int8))
    w = m.node("DequantizeLinear", [array, *m.scales(0.01, point)])
    y = m.node("MatMul", [m.through("x", 0.05, 9), w])
    path = saved(m, m.through(y, 0.06, -7), tmp_path, (2, 3, 4))
    elements = random.integers(-128, 128, (2, 3, 4)).astype(np.int8)
    x = (elements.astype(np.float32) - 9) * np.float32(0.05)
    near(found(path, elements), np.rint(wanted(path, x) / np.float32(0.06)) - 7, 0, 1)
    ops = [node.op for node in read(path, "m", shipped_ops())[1].nodes]
    assert ("batch_matmul" if point else "fully_connected") in ops


@pytest.mark.parametrize("shape", [(24,), (2, 24, 3)])
def test_products_with_a_flat_image_have_its_columns_in_order(
    shape: tuple[int, ...], m: OnnxWriter
) -> None:
    y = m.node("MatMul", [m.node("Flatten", ["x"]), m.constant(random(shape))])
    path = saved(m, y, m.folder, (1, 2, 3, 4))
    near(found(path, random((1, 2, 3, 4))), wanted(path, random((1, 2, 3, 4))), 1e-5, 1e-5)


@pytest.mark.parametrize("kind", ["Gelu", "FastGelu"])
def test_functions_of_onnxruntime_are_those_of_onnx(kind: str, tmp_path: Path) -> None:
    x, bias, outputs = random((2, 8)), random((8,)), []
    for ours in (False, True):
        m = OnnxWriter()
        b, fast = m.constant(bias), kind == "FastGelu"
        if ours:
            y = m.node(kind, ["x", b] if fast else ["x"], domain="com.microsoft")
        else:
            y = m.node("Add", ["x", b]) if fast else "x"
            y = m.node("Gelu", [y], approximate="tanh" if fast else "none")
        outputs += answers(file_of(m, {"x": x}, [y], tmp_path), {"x": x}, [y], [True])
    assert outputs[0].tolist() == outputs[1].tolist()
    assert np.std(outputs[0]) > 0


def test_every_relation_has_a_case() -> None:
    assert {*COMPARED, *JOINED, "Mod", "Not", "Where"} == {*RELATIONS}

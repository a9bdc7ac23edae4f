"""Operators of elements give what onnx.reference gives, or are refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from tests.fuzz.onnx_nodes import answers
from tests.unit.frontend.onnx_cases import normal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import found, saved, wanted

SCALE, POINT = 0.05, 9
SHAPE = (1, 2, 4, 4)
X = np.random.default_rng(3).normal(0, 2, SHAPE).astype(np.float32)
MORE = np.random.default_rng(4).integers(0, 100, SHAPE)
BORDER = np.array([0, 0, 1, 0, 0, 0, 2, 1])
MOVED: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("Pad", [BORDER], {}),
    ("Pad", [BORDER, 100], {}),
    ("Transpose", [], {"perm": [0, 1, 3, 2]}),
    ("Resize", [None, np.array([1, 1, 2, 2], np.float32)], {"mode": "nearest"}),
    ("Concat", [], {"axis": 1}),
    ("Concat", ["x", MORE], {"axis": 1}),
    ("DepthToSpace", [], {"blocksize": 1}),
    ("Dropout", [], {}),
    ("Expand", [np.array([3, 1, 1, 1])], {}),
    ("Flatten", [], {}),
    ("Gather", [np.array([1, 0, 1])], {"axis": 1}),
    ("GlobalMaxPool", [], {}),
    ("Identity", [], {}),
    ("Max", ["x", MORE, 30], {}),
    ("MaxPool", [], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}),
    ("Min", [40], {}),
    ("ReduceMax", [], {"axes": [2]}),
    ("ReduceMin", [], {"axes": [3], "keepdims": 0}),
    ("Reshape", [np.array([1, -1])], {}),
    ("Slice", [np.array([1]), np.array([4]), np.array([2])], {}),
    ("SpaceToDepth", [], {"blocksize": 2}),
    ("Split", [np.array([2])], {"axis": 1}),
    ("Squeeze", [np.array([0])], {}),
    ("Tile", [np.array([1, 2, 1, 1])], {}),
    ("Unsqueeze", [np.array([0])], {}),
]
COMPUTED: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("Relu", [], {}),
    ("Clip", [3], {}),
    ("Resize", [None, np.array([1, 1, 2, 2], np.float32)], {"mode": "linear"}),
]


def of_elements(case: tuple[str, list[Any], dict[str, Any]], kind: str, folder: Path) -> Path:
    """Model of an operator between QuantizeLinear and DequantizeLinear."""
    name, operands, options = case
    m = OnnxWriter()
    ends = m.scales(SCALE, POINT, kind)
    q = m.node("QuantizeLinear", ["x", *ends])
    given = [operand(m, q, each, kind) for each in operands]
    y = m.node(name, [q, *given], **options)
    return saved(m, m.node("DequantizeLinear", [y, *ends]), folder, X.shape)


def operand(m: OnnxWriter, x: str, each: Any, kind: str) -> str:
    """Name of an operand: the tensor x, "" for none, or a constant of elements."""
    if each is None or isinstance(each, str):
        return x if each else ""
    return m.constant(np.asarray(each, kind) if np.ndim(each) == 0 or each is MORE else each)


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("case", MOVED, ids=lambda case: case[0])
def test_elements_are_moved(
    case: tuple[str, list[Any], dict[str, Any]], kind: str, tmp_path: Path
) -> None:
    path, less = of_elements(case, kind, tmp_path), 128 if kind == "uint8" else 0
    elements = np.rint(X / np.float32(SCALE)) + POINT
    held = np.clip(elements, *(0, 255) if less else (-128, 127)) - less
    y = np.rint(wanted(path, X) / SCALE) + POINT - less
    ours = found(path, held.astype(np.int8))
    assert np.sort(ours.ravel()).tolist() == np.sort(y.ravel()).tolist()
    assert ours.shape != y.shape or ours.tolist() == y.tolist()


@pytest.mark.parametrize("case", COMPUTED, ids=lambda case: case[0])
def test_what_computes_with_elements_is_refused(
    case: tuple[str, list[Any], dict[str, Any]], tmp_path: Path
) -> None:
    with pytest.raises(ToolchainError, match="MDL012: it computes with elements of 8 bits"):
        found(of_elements(case, "int8", tmp_path), X)


def test_a_border_of_another_type_is_refused(tmp_path: Path) -> None:
    case: tuple[str, list[Any], dict[str, Any]] = ("Pad", [BORDER, np.ones(1, np.float32)], {})
    with pytest.raises(ToolchainError, match="MDL014: its value is no element of int8"):
        found(of_elements(case, "int8", tmp_path), X)


def joined(folder: Path, scale: float, kind: str, held: bool) -> Path:
    """Model of a Concat of int8 elements with constants or with the result of a second
    QuantizeLinear.
    """
    m = OnnxWriter()
    ends, other = m.scales(SCALE, POINT), m.scales(scale, POINT, kind)
    more = m.constant(MORE.astype(kind)) if held else m.node("QuantizeLinear", ["x", *other])
    y = m.node("Concat", [m.node("QuantizeLinear", ["x", *ends]), more], axis=1)
    return saved(m, m.node("DequantizeLinear", [y, *ends]), folder, X.shape)


@pytest.mark.parametrize(("scale", "kind", "held", "why"), [
    (0.1, "int8", False, "MDL005: the elements that it reads differ in scale"),
    (SCALE, "uint8", False, "MDL012: it reads elements of both int8 and uint8"),
    (SCALE, "uint8", True, "MDL012: 'c[0-9]+' is not of int8"),
])  # fmt: skip
def test_elements_that_differ_are_not_joined(
    scale: float, kind: str, held: bool, why: str, tmp_path: Path
) -> None:
    with pytest.raises(ToolchainError, match=why):
        found(joined(tmp_path, scale, kind, held), X)


def test_what_a_cast_becomes_takes_no_name_of_others(m: OnnxWriter) -> None:
    y = m.node("Cast", ["x"], to=onnx.TensorProto.FLOAT)
    steep = m.node("Relu", [y])
    model = m.model((1, 8), m.node("Add", [y, steep]))
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.UINT8
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = [f"{y} scale" if name == steep else name for name in names]
    path = m.folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    x = np.arange(8, dtype=np.uint8)[None]
    (found,) = answers(path, {"x": x}, [model.graph.output[0].name], [True])
    np.testing.assert_array_equal(found, 2 * x)


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("turned", [False, True])
def test_elements_of_an_input_may_be_cast(kind: str, turned: bool, m: OnnxWriter) -> None:
    y = m.node("Transpose", ["x"], perm=[0, 3, 1, 2]) if turned else "x"
    y = m.node("Div", [m.node("Cast", [y], to=onnx.TensorProto.FLOAT), m.constant(np.float32(255))])
    y = m.node("Conv", [y, m.constant(normal(2, 3, 3, 3))])
    shape = (1, 6, 8, 3) if turned else (1, 3, 6, 8)
    model = m.model(shape, y)
    of = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    model.graph.input[0].type.tensor_type.elem_type = of
    path = m.folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    limits = np.iinfo(kind)
    x = np.random.default_rng(3).integers(limits.min, limits.max + 1, shape).astype(kind)
    (found,) = answers(path, {"x": x}, [y], [True])
    np.testing.assert_allclose(found, wanted(path, x), 1e-5, 1e-5)

"""Elements that computed indices name, TopK, and others whose operands are no cases of their own;
beside onnx.reference.
"""

import re

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_cases import normal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import random, saved
from tests.unit.frontend.test_onnx_relations import check, file_of

IMAGE = (1, 3, 2, 4)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_computed_indices_pick_elements(dtype: str, m: OnnxWriter) -> None:
    names = [m.node("Gather", [m.constant(normal(5, 6)), "a"], axis=axis) for axis in (0, -1)]
    names += [m.node("Gather", ["x", m.node("Add", ["a", "a"])], axis=3)]
    names += [m.node("GatherND", [m.constant(normal(4, 4, 2, 5)), "a"])]
    for axis in (-1, 0, 1):
        values = m.constant(np.array([-1, 2], np.float32))
        names.append(m.node("OneHot", ["a", m.constant(np.array(4)), values], axis=axis))
    values = m.weights(np.array([-3, 100], np.int8), np.float32(0.25))
    names.append(m.node("OneHot", ["a", m.constant(np.array(4)), values]))
    names += [m.node("Gather", ["x", "i"], axis=axis) for axis in (1, 2)]
    given = {"x": random(IMAGE), "i": np.array(-2, dtype)}
    given["a"] = np.array([[0, 1, -2], [-1, 0, 1]], dtype)
    check(m, given, names, m.folder)


def test_largest_and_smallest_elements_have_values_and_places(m: OnnxWriter) -> None:
    names: list[str] = []
    for axis, largest in ((1, 1), (3, 0), (-1, 1)):
        outputs = [f"{kind}{len(names)}" for kind in ("values", "places")]
        inputs = ["x", m.constant(np.array([2]))]
        options = {"axis": axis, "largest": largest}
        m.nodes.append(onnx.helper.make_node("TopK", inputs, outputs, **options))
        names += [outputs[0], m.node("Add", [outputs[1], m.constant(np.array([1]))])]
    names.append(m.node("Cast", [m.node("ArgMax", ["x"], axis=1)], to=6))
    x = np.rint(random(IMAGE) * np.float32(4))  # of which several are equal
    check(m, {"x": x}, names, m.folder)


@pytest.mark.parametrize(("kind", "operands", "options", "why"), [
    ("GatherElements", ["a"], {}, "its indices are not constant"),
    ("Gather", [np.array([7])], {"axis": 1}, "an index is outside of 3 elements"),
    ("ScatterND", [np.array([[0]]), normal(1, 3, 2, 4)], {"reduction": "add"}, "reduction"),
    ("ScatterND", [np.array([[0]]), normal(3, 2, 4)], {}, "updates .* do not fit"),
    ("ScatterElements", ["a", normal(2, 3)], {}, "operand 1 is not constant"),
    ("TopK", [np.array([9])], {}, "4 elements have no 9 largest"),
    ("Einsum", [], {"equation": "...a->a..."}, "equations such as"),
    ("Einsum", ["a"], {"equation": "abcd,ef->ab"}, "MDL012"),
    ("Einsum", [], {"equation": "abc->a"}, "letters do not fit"),
    *(("Gemm", ["x", normal(*c)], {"transB": 1}, "an addend") for c in ((2, 1, 3), (1, 3, 3))),
    ("GroupNormalization", [normal(3), normal(3)], {"num_groups": 2}, "no 2 groups"),
])  # fmt: skip
def test_others_are_refused(
    kind: str, operands: list[object], options: dict[str, object], why: str, m: OnnxWriter
) -> None:
    inputs = [each if isinstance(each, str) else m.constant(each) for each in operands]
    y = m.node(kind, ["x", *inputs], **options)
    x = random((3, 4) if kind == "Gemm" else IMAGE)
    path = file_of(m, {"x": x, "a": np.zeros((2, 3), np.int64)}, [y], m.folder)
    with pytest.raises(ToolchainError, match=why):
        read(path, "m", shipped_ops())


@pytest.mark.parametrize(("kind", "shapes"), [
    *(("Gemm", [(1, 4), (4, 3), addend]) for addend in ((2, 3), (2, 1), (3, 1))),
    ("Gemm", [(2, 4), (4, 1), (2, 3)]),
    *(("Conv", [IMAGE, (2, 3, 1, 1), bias]) for bias in ((1, 2), (2, 1))),
    ("Conv", [IMAGE[:3], (2, 3, 1, 1), (2,)]),
    ("ConvTranspose", [IMAGE, (3, 2, 2, 2), (2, 1)]),
])  # fmt: skip
def test_operands_do_not_change_the_shape_of_a_layer(
    kind: str, shapes: list[tuple[int, ...]], m: OnnxWriter
) -> None:
    y = m.node(kind, ["x", *(m.constant(normal(*each)) for each in shapes[1:])])
    path = saved(m, y, m.folder, shapes[0])
    with pytest.raises(ToolchainError, match=f"MDL006.*{re.escape(str(shapes[-1]))}|of sequences"):
        read(path, "m", shipped_ops())


@pytest.mark.parametrize(("kind", "indices", "size"), [
    ("GatherElements", [np.zeros((1, 1, 1), np.int64)], 5000),
    ("GatherND", [np.zeros((300, 1), np.int64)], 300),
    ("Trilu", [], 5000),
])  # fmt: skip
def test_more_elements_than_are_numbered_are_refused(
    kind: str, indices: list[Array], size: int, m: OnnxWriter
) -> None:
    wide = m.node("Expand", ["x", m.constant(np.array([1, size, size]))])
    path = saved(m, m.node(kind, [wide, *map(m.constant, indices)]), m.folder, (1,))
    with pytest.raises(ToolchainError, match="MDL014: it is read of 16777216 elements at most"):
        read(path, "m", shipped_ops())


def test_places_that_are_left_out_are_not_cast(m: OnnxWriter) -> None:
    m.nodes.append(onnx.helper.make_node("TopK", ["x", m.constant(np.array([2]))], ["y", ""]))
    path = saved(m, m.node("Clip", ["y", "", m.constant(np.float32(1))]), m.folder, (3, 5))
    assert "cast" not in [node.op for node in read(path, "m", shipped_ops())[1].nodes]


def test_elements_that_stay_together_are_gathered_together(m: OnnxWriter) -> None:
    y = m.node("GatherND", ["x", m.constant(np.array([[1], [0]]))])
    path = saved(m, y, m.folder, (3, 5, 7))
    graph = read(path, "m", shipped_ops())[1]
    (gather,) = (node for node in graph.nodes if node.op == "gather")
    assert graph.tensors[gather.inputs[1] or ""].shape == (2,)

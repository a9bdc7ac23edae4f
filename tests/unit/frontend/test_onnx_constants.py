"""Constants of .onnx files: nodes that hold them, and those that QuantizeLinear makes of floats."""

import tracemalloc
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.folding import FUNCTIONS
from opsmith.ir import Array
from opsmith.oracle.evaluate import NumpyReference
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_cases import OF_SHARES, POINT, QUANTISED, SCALE, SHARES, Case, normal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import found, operand
from tests.unit.frontend.test_onnx_relations import check, file_of

REALS = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
SCALES = np.array([0.013, 0.021, 0.017], np.float32)


def output(m: OnnxWriter, y: str, path: Path) -> bytes:
    """Elements of the model's output y for a seeded input."""
    path = m.save(path / "m.onnx", [2, 8], y)
    reference = NumpyReference(read(path, "m", shipped_ops())[1], shipped_ops())
    x = np.random.default_rng(1).normal(size=(2, 8)).astype(np.float32)
    if reference.inputs[0].dtype == np.int8:
        x = np.arange(-64, 64, 8).reshape(2, 8).astype(np.int8)
    return reference.run([x])[0].tobytes()


@pytest.mark.parametrize(("attribute", "held"), [
    ("value", onnx.numpy_helper.from_array(REALS[0])),
    ("value_float", 0.7),
    ("value_floats", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]),
])  # fmt: skip
def test_a_node_holds_what_an_initializer_does(attribute: str, held: Any, tmp_path: Path) -> None:
    node, stored = OnnxWriter(), OnnxWriter()
    array = REALS[0] if attribute == "value" else np.asarray(held, np.float32)
    by_node = node.node("Add", ["x", node.node("Constant", [], **{attribute: held})])
    by_file = stored.node("Add", ["x", stored.constant(array)])
    assert output(node, by_node, tmp_path) == output(stored, by_file, tmp_path)


def test_a_node_holds_a_shape_and_an_index(tmp_path: Path) -> None:
    m, stored, y = OnnxWriter(), OnnxWriter(), []
    nodes = (m.node("Constant", [], value_ints=[4, 4]), m.node("Constant", [], value_int=2))
    arrays = (stored.constant(np.array([4, 4])), stored.constant(np.array(2)))
    for each, (shape, index) in ((m, nodes), (stored, arrays)):
        y.append(each.node("Gather", [each.node("Reshape", ["x", shape]), index], axis=1))
    assert output(m, y[0], tmp_path) == output(stored, y[1], tmp_path)


@pytest.mark.parametrize("within", ["", "operator 0 .If.: "])
def test_a_node_without_a_value_is_refused(within: str, tmp_path: Path) -> None:
    m = OnnxWriter()
    y = m.node("Constant", [], value_string="text")
    if within:
        value = onnx.helper.make_tensor_value_info(y, 1, None)
        body = onnx.helper.make_graph(m.nodes, "body", [], [value])
        m = OnnxWriter()
        m.count = 9
        y = m.node("If", [m.constant(np.array(True))], then_branch=body, else_branch=body)
    y = m.node("Add", ["x", y])
    with pytest.raises(ToolchainError, match=f"MDL006: {within}operator 0 .Constant. has no value"):
        output(m, y, tmp_path)


def elements_of(m: OnnxWriter, made: str) -> Array:
    """Elements of a QuantizeLinear of a constant, as ONNX defines them."""
    from onnx.reference import ReferenceEvaluator

    typed = onnx.helper.make_tensor_value_info(made, 0, None)
    graph = onnx.helper.make_graph(m.nodes, "g", [], [typed], m.constants)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    found: list[Any] = [*ReferenceEvaluator(model).run(None, {})]
    return np.asarray(found[0])


@pytest.mark.parametrize(
    ("kind", "per_channel"), [("int8", True), ("int8", False), ("uint8", False)]
)
def test_weights_that_training_leaves_as_floats_are_quantised_as_onnx_defines(
    kind: str, per_channel: bool, tmp_path: Path
) -> None:
    """Exporters of quantisation-aware training write QuantizeLinear before weights of float32."""
    m, stored = OnnxWriter(), OnnxWriter()
    scales = SCALES if per_channel else SCALES[0]
    points = np.full(scales.shape, 0 if kind == "int8" else 128)
    made = m.node("QuantizeLinear", [m.constant(REALS), *m.scales(scales, points, kind)], axis=0)
    elements, y = elements_of(m, made), []
    assert elements.dtype == kind
    for each, integers in ((m, made), (stored, stored.constant(elements))):
        operands = [integers, *each.scales(scales, points, kind)]
        weights = each.node("DequantizeLinear", operands, axis=0)
        product = each.node("Gemm", [each.through("x", 0.02, 3), weights], transB=1)
        y.append(each.through(product, 0.05, -4))
    assert output(m, y[0], tmp_path) == output(stored, y[1], tmp_path)


@pytest.mark.parametrize("folded", [False, True])
def test_the_zero_point_of_uint8_is_0_where_none_is_given(folded: bool, tmp_path: Path) -> None:
    found, reals = [], np.abs(REALS[:2])
    for given in (False, True):
        m = OnnxWriter()
        scale, point = m.scales(0.013, 0, "uint8")
        operands = [scale, point] if given else [scale]
        made = m.node("QuantizeLinear", [m.constant(reals), *operands])
        if not folded:
            elements = elements_of(m, made)
            assert elements.dtype == np.uint8
            m.nodes.clear()
            made = m.constant(elements)
        addend = m.node("DequantizeLinear", [made, *operands])
        y = m.through(m.node("Add", [m.through("x", 0.02, 3), addend]), 0.05, -4)
        found.append(output(m, y, tmp_path))
    assert found[0] == found[1]


def test_a_constant_output_is_called_so(m: OnnxWriter) -> None:
    with pytest.raises(ToolchainError, match="MDL007: output 'n0' is constant"):
        output(m, m.node("Constant", [], value_floats=[1.0, 2.0]), m.folder)


def test_an_output_may_be_constant_beside_another(m: OnnxWriter) -> None:
    anchors = m.node("Tile", [m.constant(normal(2, 1)), m.constant(np.array([1, 3]))])
    check(m, {"x": normal(2, 3)}, [m.node("Neg", ["x"]), anchors], m.folder)


def test_elements_may_be_read_at_another_scale_than_they_were_written_at(m: OnnxWriter) -> None:
    written = m.node("QuantizeLinear", ["x", *m.scales(0.05, 3)])
    read_again = m.node("DequantizeLinear", [written, *m.scales(0.02, -9)])
    names = [read_again, m.through(m.node("Add", [read_again, read_again]), 0.03, 5)]
    check(m, {"x": normal(2, 3)}, names, m.folder)


def restated(model: Any) -> Any:
    """Model whose constants are nodes, and whose weights of float32 are quantised by
    QuantizeLinear.
    """
    arrays = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    nodes = []
    for each in model.graph.node:
        if each.op_type == "DequantizeLinear" and each.input[0] in arrays:
            integers, scale, point = (arrays[name] for name in each.input)
            sizes = [-1 if axis == each.attribute[0].i else 1 for axis in range(integers.ndim)]
            sizes = sizes if scale.ndim else [1] * integers.ndim
            lifted = (integers.astype(np.int32) - point.reshape(sizes)).astype(np.float32)
            name = f"{each.input[0]}_real"
            arrays[name] = lifted * scale.reshape(sizes)
            del arrays[each.input[0]]
            inputs = [name, *each.input[1:]]
            axis = each.attribute[0].i
            made = onnx.helper.make_node("QuantizeLinear", inputs, [each.input[0]], axis=axis)
            nodes.append(made)
        nodes.append(each)
    held = {name: onnx.numpy_helper.from_array(array) for name, array in arrays.items()}
    first = [onnx.helper.make_node("Constant", [], [n], value=held[n]) for n in held]
    other = onnx.ModelProto.FromString(model.SerializeToString())
    del other.graph.initializer[:], other.graph.node[:]
    other.graph.node.extend([*first, *nodes])
    return other


@pytest.mark.slow
@pytest.mark.parametrize("case", QUANTISED, ids=lambda case: case[0])
def test_operators_read_constants_however_a_file_has_them(case: Case, m: OnnxWriter) -> None:
    kind, constants, options, _, shape = case
    given = ["" if each is None else operand(m, kind, each) for each in constants]
    y = m.node(kind, [m.through("x", SCALE, POINT), *given], **options)
    scale, point = OF_SHARES if kind in SHARES else (SCALE, POINT)
    model = m.model(shape, m.through(y, scale, point), opset=20)
    x = np.random.default_rng(5).integers(-128, 128, shape, np.int8)
    answers = []
    for number, each in enumerate((model, restated(model))):
        path = m.folder / f"m{number}.onnx"
        path.write_bytes(each.SerializeToString())
        answers.append(found(path, x))
    assert np.array_equal(answers[0], answers[1])


def test_constant_integers_are_divided_towards_zero() -> None:
    a, b = np.array([7, -7, 7, -8, (1 << 53) + 1]), np.array([2, 2, -2, 4, 1])
    none = Operator("n", "Div", (), (), {})
    assert FUNCTIONS["Div"]([a, b], none).tolist() == [3, -3, -3, -2, (1 << 53) + 1]
    large = np.array([(1 << 64) - 1, 7], np.uint64)
    assert FUNCTIONS["Div"]([large, large[::-1]], none).tolist() == [((1 << 64) - 1) // 7, 0]


@pytest.mark.parametrize("dtype", ["int64", "uint8", "uint64"])
@pytest.mark.parametrize("name", ["Div", "Mod"])
def test_constant_integers_are_not_divided_by_zero(name: str, dtype: str) -> None:
    a = np.array([7, 8], dtype)
    with pytest.raises(ZeroDivisionError):
        FUNCTIONS[name]([a, a * np.array([0, 1], dtype)], Operator("n", name, (), (), {}))


@pytest.mark.parametrize("wanted", [
    *(range(7), range(0, 7, 2), range(7, 0, -3), range(3, 3), range(0, 7, -1)),
    *(range(-(1 << 62), (1 << 62) + 1, 1 << 61), range(0, (1 << 60) + 1, 1 << 60)),
    range((1 << 62) + 1, -(1 << 62), -(1 << 62)),
])  # fmt: skip
def test_a_range_of_integers_has_pythons_elements(wanted: range) -> None:
    operands = [np.array(each) for each in (wanted.start, wanted.stop, wanted.step)]
    made = FUNCTIONS["Range"](operands, Operator("n", "Range", (), ("y",), {}))
    assert made.tolist() == [*wanted]


@pytest.mark.parametrize(
    ("start", "limit", "step", "count"),
    [(0, 0.6, 0.1, 7), (0.1, 0.7, 0.2, 3), (1, -1, -1 / 3, 6), (-1, 4, 0.01, 501), (2, 1, 1, 0)],
)
def test_a_range_of_floats_has_onnxruntimes_elements(
    start: float, limit: float, step: float, count: int
) -> None:
    operands = [np.array(each, np.float32) for each in (start, limit, step)]
    made = FUNCTIONS["Range"](operands, Operator("n", "Range", (), ("y",), {}))
    wanted = [np.float32(start), *[np.float32(step)] * (count - 1)][:count]
    assert made.dtype == np.float32
    assert made.tolist() == [*map(float, accumulate(wanted))]


def quantised_conv(folder: Path, *forms: tuple[tuple[int, ...], tuple[int, ...]], to: int) -> Path:
    """Convolution whose input, weights, bias and output have one-element scales and zero points of
    the given shapes; the weights' zero point is given.
    """
    m, random = OnnxWriter(), np.random.default_rng(5)
    pairs = [(0.05, 3, "int8"), (0.02, to, "int8"), (0.001, 0, "int32"), (0.1, -7, "int8")]
    given = [
        m.scales(np.full(scale, a), np.full(point, b), kind)
        for (a, b, kind), (scale, point) in zip(pairs, forms, strict=True)
    ]
    x = m.node("DequantizeLinear", [m.node("QuantizeLinear", ["x", *given[0]]), *given[0]])
    held = [random.integers(-127, 128, (4, 2, 3, 3), np.int8), random.integers(-99, 99, 4, "int32")]
    read = [m.node("DequantizeLinear", [m.constant(each), *given[i + 1]])
            for i, each in enumerate(held)]  # fmt: skip
    y = m.node("QuantizeLinear", [m.node("Conv", [x, *read]), *given[3]])
    return m.save(folder / "m.onnx", [1, 2, 5, 5], m.node("DequantizeLinear", [y, *given[3]]))


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("form", [((1,), ()), ((), (1,)), ((1,), (1,))])
def test_an_array_of_one_scale_is_a_scale(
    place: int, form: tuple[tuple[int, ...], tuple[int, ...]], tmp_path: Path
) -> None:
    forms: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())] * 4
    x = np.random.default_rng(6).integers(-128, 128, (1, 2, 5, 5)).astype(np.int8)
    wanted = found(quantised_conv(tmp_path, *forms, to=0), x)
    forms[place] = form
    assert found(quantised_conv(tmp_path, *forms, to=0), x).tolist() == wanted.tolist()


def test_weights_with_a_zero_point_say_how_to_quantise_them(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="weight_type of QInt8"):
        read(quantised_conv(tmp_path, *[((), ())] * 4, to=3), "m", shipped_ops())


def as_torch_expands(m: OnnxWriter, x: str) -> str:
    """Model of an Expand as PyTorch exports it: sizes of -1 keep x's."""
    sizes = m.constant(np.array([3, -1, 8]))
    fill = onnx.numpy_helper.from_array(np.array([1]))
    ones = m.node("ConstantOfShape", [m.node("Shape", [sizes])], value=fill)
    kept = m.node("Equal", [sizes, m.constant(np.array(-1))])
    return m.node("Expand", [x, m.node("Where", [kept, ones, sizes])])


def test_shapes_are_computed_as_exporters_have_them(tmp_path: Path) -> None:
    m, stored = OnnxWriter(), OnnxWriter()
    limits = [m.constant(np.array(each)) for each in (7, -1, -1)]
    y = m.node("Gather", [as_torch_expands(m, "x"), m.node("Range", limits)], axis=2)
    row = stored.node("Unsqueeze", ["x", stored.constant(np.array([0]))])
    tiled = stored.node("Tile", [row, stored.constant(np.array([3, 1, 1]))])
    z = stored.node("Gather", [tiled, stored.constant(np.arange(8)[::-1].copy())], axis=2)
    assert output(m, y, tmp_path) == output(stored, z, tmp_path)


def test_a_constant_is_expanded(tmp_path: Path) -> None:
    m, stored = OnnxWriter(), OnnxWriter()
    row = np.arange(8, dtype=np.float32)
    wide = m.node("Expand", [m.constant(row), m.constant(np.array([2, 1]))])
    y, z = m.node("Add", ["x", wide]), stored.node("Add", ["x", stored.constant(row)])
    assert output(m, y, tmp_path) == output(stored, z, tmp_path)


@pytest.mark.parametrize("kind", ["ConstantOfShape", "Range"])
def test_what_is_read_of_constants_alone_says_so(kind: str, m: OnnxWriter) -> None:
    y = m.node(kind, ["x"] * (3 if kind == "Range" else 1))
    with pytest.raises(ToolchainError, match="MDL013: its operands are not constant"):
        output(m, y, m.folder)


@pytest.mark.parametrize(("kind", "operands"), [
    ("Tile", [normal(1, 1), np.array([10**10, 0])]),
    ("ConstantOfShape", [np.array([1 << 25])]),
    ("Tile", [normal(1, 1), np.array([10**12, -1])]),
    ("Range", [np.array(each) for each in (-(1 << 62), 1 << 62, 1)]),
    ("Range", [np.array(each) for each in (0, 3, 0)]),
    ("Sqrt", [np.array(True)]),
    ("Where", [np.array(True), np.array([1]), normal(1)]),
])  # fmt: skip
def test_wrong_constants_are_refused(kind: str, operands: list[Array], m: OnnxWriter) -> None:
    y = m.node(kind, [m.constant(each) for each in operands])
    path = file_of(m, {"x": normal(2)}, [m.node("Neg", ["x"]), y], m.folder)
    with pytest.raises(ToolchainError, match="MDL01(3: an attribute|4: its output)"):
        read(path, "m", shipped_ops())


@pytest.mark.slow
@pytest.mark.parametrize("of_shape", [False, True])
def test_constants_take_little_memory_together(of_shape: bool, m: OnnxWriter) -> None:
    """Each alone would be read. Some are computed only when the input's shape is known."""
    value = onnx.numpy_helper.from_array(np.array([7]))
    counts = [m.constant(np.array(each)) for each in (1 << 19, 1 << 23)]
    size = m.node("Mul", [m.node("Size", ["x"]), counts[0]]) if of_shape else counts[1]
    for _ in range(8):
        m.node("ConstantOfShape", [size], value=value)
    tracemalloc.start()
    try:
        with pytest.raises(ToolchainError, match="MDL014: the constants .* more than 128 MiB"):
            output(m, m.node("Neg", ["x"]), m.folder)
        assert tracemalloc.get_traced_memory()[1] < 1 << 28
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("sizes", [[1 << 20, 1 << 20], [-1], [3], [1 << 62, 4]])
def test_sizes_that_cannot_be_are_refused(sizes: list[int], tmp_path: Path) -> None:
    for constant in (False, True):
        m = OnnxWriter()
        x = m.constant(np.ones(2, np.float32)) if constant else "x"
        y = m.node("Expand", [x, m.constant(np.array(sizes))])
        with pytest.raises(ToolchainError, match="MDL0(03|13)"):
            output(m, m.node("Add", ["x", y]), tmp_path)

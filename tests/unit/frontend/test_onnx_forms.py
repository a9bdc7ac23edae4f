"""Forms in which exporters write an operator: what gives its input unchanged, sums of several, a
Gemm with factors, zero points that are left out; and what the reader does not know.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_cases import normal
from tests.unit.frontend.onnx_models import OnnxWriter
from tests.unit.frontend.test_onnx_operators import found, near, random, saved, wanted

ROWS = (3, 8)
Layer = Callable[[OnnxWriter], str]


def gemm(bias: Any, **options: Any) -> Layer:
    """Model of a Gemm of x, with eight columns, and a constant with five."""
    return lambda m: m.node("Gemm", ["x", m.constant(normal(8, 5)), m.constant(bias)], **options)


def dropped(m: OnnxWriter) -> str:
    """Model of a product, a Dropout, a Relu that fuses with the product, and an Identity."""
    weights = m.node("Identity", [m.constant(normal(8, 5))])
    options = [m.constant(np.float32(0.5)), m.constant(np.array(False))]
    y = m.node("Identity", [m.node("MatMul", ["x", weights])])
    return m.node("Dropout", [m.node("Relu", [y]), *options])


def turned(m: OnnxWriter) -> str:
    """Model of the product of x transposed and three rows of a constant."""
    return m.node("Gemm", ["x", m.constant(normal(3, 2))], transA=1)


def viewed(m: OnnxWriter) -> str:
    """Model of a product of a constant and torch's view(x.size(0) * 2, -1)."""

    def number(*values: int) -> str:
        return m.constant(np.array(values))

    rows = m.node("Gather", [m.node("Shape", ["x"]), m.constant(np.array(0))])
    rows = m.node("Cast", [m.node("Mul", [rows, m.constant(np.array(2))])], to=7)
    sizes = m.node("Concat", [m.node("Unsqueeze", [rows, number(0)]), number(-1)], axis=0)
    sizes = m.node("Slice", [sizes, number(0), number(2)])
    scale = m.node("Transpose", [m.node("Reshape", [m.constant(normal(4)), number(4, 1)])])
    return m.node("Mul", [m.node("Reshape", ["x", sizes]), scale])


def of_ranks(m: OnnxWriter) -> str:
    """Model of x times functions of x with fewer and more axes, and a constant with more."""
    least = m.node("ReduceMax", ["x", m.constant(np.array([0]))], keepdims=0)
    taller = m.node("Unsqueeze", ["x", m.constant(np.array([1]))])
    y = m.node("Sub", [m.node("Mul", [least, "x"]), taller])
    return m.node("Add", [m.constant(normal(2, 1, 1, 8)), y])


def gelu(halved: int, root: float = 2**-0.5) -> Layer:
    """Model of x * 0.5 * (1 + erf(x * root)), in one of three orders."""

    def number(m: OnnxWriter, value: float) -> str:
        return m.constant(np.float32(value))

    def layer(m: OnnxWriter) -> str:
        scale = ("Mul", root) if root < 1 else ("Div", root)
        scaled = m.node(scale[0], ["x", number(m, scale[1])])
        y = m.node("Add", [m.node("Erf", [scaled]), number(m, 1)])
        if halved == 0:
            return m.node("Mul", [m.node("Mul", [number(m, 0.5), "x"]), y])
        factors = ["x", number(m, 0.5)][:: -1 if halved == 1 else 1]
        for each in factors:
            y = m.node("Mul", [each, y])
        return y

    return layer


def with_addends(bias: Any) -> Layer:
    """Model of the products of x and a constant, and of the sums of these and the bias."""

    def layer(m: OnnxWriter) -> str:
        return m.node("Add", [m.constant(bias), m.node("MatMul", ["x", m.constant(normal(8, 5))])])

    return layer


WHOLE = {"gelu": [gelu(0), gelu(1), gelu(2, 2**0.5)], "fully_connected": [
    with_addends(normal(5)), with_addends(normal(1)), with_addends(np.float32(0.5)),
]}  # fmt: skip


def computed(**options: Any) -> Layer:
    """Model of a Gemm of x, a function of x, and a row."""

    def layer(m: OnnxWriter) -> str:
        return m.node("Gemm", ["x", m.node("Neg", ["x"]), m.constant(normal(1, 1))], **options)

    return layer


def of_addends(**options: Any) -> Layer:
    """Model of a Gemm of x and a constant, with a bias that is computed of x."""

    def layer(m: OnnxWriter) -> str:
        weights, bias = m.constant(normal(8, 5)), m.constant(normal(8, 5))
        return m.node("Gemm", ["x", weights, m.node("MatMul", ["x", bias])], **options)

    return layer


def counted(m: OnnxWriter) -> str:
    """Model of x as a vector, whose size is a product of sizes, squared."""
    sizes, axes = m.node("Shape", ["x"]), m.constant(np.array([0]))
    flat = m.node("Reshape", ["x", m.node("ReduceProd", [sizes, axes])])
    whole = m.node("Unsqueeze", [m.node("ReduceProd", [sizes], keepdims=0), axes])
    return m.node("Mul", [flat, m.node("Reshape", ["x", whole])])


FORMS: list[Layer] = [
    of_addends(),
    of_addends(beta=0.25, alpha=2.0),
    counted,
    computed(transB=1),
    computed(transA=1, alpha=0.5, beta=2.0),
    *WHOLE["gelu"],
    *WHOLE["fully_connected"],
    with_addends(normal(3, 5)),
    with_addends(np.array([1, -np.inf, 2, 3, np.inf], np.float32)),
    of_ranks,
    viewed,
    gemm(normal(5), alpha=0.5, beta=2.0),
    gemm(np.float32(0.5)),
    gemm(normal(3, 5)),
    gemm(normal(1, 5), beta=0.25),
    turned,
    dropped,
    lambda m: m.node("Mean", ["x", m.constant(normal(8)), m.constant(normal(3, 8))]),
    lambda m: m.node("Sum", ["x", "x", m.constant(normal(8))]),
    lambda m: m.node("Max", ["x", m.constant(normal(8)), m.constant(normal(3, 8))]),
    lambda m: m.node("Min", [m.node("Relu", ["x"])]),
    lambda m: m.node("LpNormalization", [m.node("Abs", ["x"])], p=1),
    lambda m: m.node("ReduceLogSumExp", [m.node("Mul", ["x", m.constant(np.float32(300))])]),
    lambda m: m.node("ReduceLogSumExp", ["x", m.constant(np.array([1]))], keepdims=0),
    lambda m: m.node("ReduceL1", ["x", m.constant(np.array([0]))]),
    lambda m: m.node("ReduceL2", ["x"], keepdims=0),
    lambda m: m.node("ReduceSumSquare", ["x", m.constant(np.array([1]))]),
    lambda m: m.node("ReduceLogSum", [m.node("Abs", ["x"])]),
]


@pytest.mark.parametrize("layer", FORMS)
def test_each_form_is_near_the_reference(m: OnnxWriter, layer: Layer) -> None:
    path = saved(m, layer(m), m.folder, ROWS)
    near(found(path, random(ROWS)), wanted(path, random(ROWS)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("op", WHOLE)
def test_several_operators_are_one_node(tmp_path: Path, op: str) -> None:
    for layer in WHOLE[op]:
        m = OnnxWriter()
        path = saved(m, layer(m), tmp_path, ROWS)
        assert [node.op for node in read(path, "m", shipped_ops())[1].nodes] == [op]


@pytest.mark.parametrize("layer", [gelu(0, 0.7), gelu(1, 2.0)])
def test_an_erf_of_another_function_is_refused(m: OnnxWriter, layer: Layer) -> None:
    path = saved(m, layer(m), m.folder, ROWS)
    with pytest.raises(ToolchainError, match="MDL013: it is read in a Gelu"):
        read(path, "m", shipped_ops())


def test_addends_of_quantised_products_are_a_bias(tmp_path: Path) -> None:
    for integers in (False, True):
        m = OnnxWriter()
        weights = m.weights(np.arange(40, dtype=np.int8).reshape(8, 5) - 20, 0.0125)
        bias = m.constant(normal(5))
        if integers:
            sums = np.float32(0.05) * np.float32(0.0125)
            bias = m.weights(np.arange(5, dtype=np.int32) * 1000, sums)
        y = m.node("Add", [m.node("MatMul", [m.through("x", 0.05, 3), weights]), bias])
        path = saved(m, m.through(y, 0.05, 3), tmp_path, ROWS)
        elements = np.rint(random(ROWS) / np.float32(0.05)) + 3
        right = np.rint(wanted(path, random(ROWS)) / np.float32(0.05)) + 3
        near(found(path, elements.astype(np.int8)), right, rtol=0, atol=1)
        ops = [node.op for node in read(path, "m", shipped_ops())[1].nodes]
        assert ops == ["fully_connected"]


def test_an_identity_leaves_a_relu_part_of_the_product(m: OnnxWriter) -> None:
    path = saved(m, dropped(m), m.folder, ROWS)
    assert [node.op for node in read(path, "m", shipped_ops())[1].nodes] == ["fully_connected"]


@pytest.mark.parametrize("kind", ["uint8", "int8"])
def test_a_zero_point_that_is_left_out_is_zero_of_what_is_read(m: OnnxWriter, kind: str) -> None:
    scale = m.constant(np.float32(0.05))
    options = {"output_dtype": 3} if kind == "int8" else {}
    y = m.node("QuantizeLinear", ["x", scale], **options)
    weights = m.node(
        "DequantizeLinear", [m.constant(np.arange(40, dtype=kind).reshape(8, 5)), scale]
    )
    y = m.node("Add", [m.node("MatMul", [m.node("DequantizeLinear", [y, scale]), weights])] * 2)
    path = m.folder / "m.onnx"
    path.write_bytes(m.model(ROWS, y, opset=21).SerializeToString())
    x = np.abs(random(ROWS)) if kind == "uint8" else random(ROWS)
    elements = np.rint(x / np.float32(0.05)) - (128 if kind == "uint8" else 0)
    near(found(path, elements.astype(np.int8)), wanted(path, x), rtol=1e-5, atol=1e-5)


def test_an_output_that_only_an_identity_writes_has_its_own_name(m: OnnxWriter) -> None:
    y = m.node("Reshape", [m.node("Relu", ["x"]), m.constant(np.array(ROWS))])
    path = saved(m, m.node("Identity", [y]), m.folder, ROWS)
    graph = read(path, "m", shipped_ops())[1]
    assert [graph.tensors[each].name for each in graph.outputs] == [*graph.outputs] == ["n2"]
    assert len(graph.nodes) == 1


def test_what_an_attribute_changes_is_not_left_out(m: OnnxWriter) -> None:
    path = saved(m, m.node("Relu", ["x"], window=3), m.folder, ROWS)
    with pytest.raises(ToolchainError, match="MDL013: its attribute 'window' is not read"):
        read(path, "m", shipped_ops())


@pytest.mark.parametrize(("kind", "options"), [
    ("Gemm", {"alpha": "a"}),
    ("Gemm", {"transA": [1.0, 2.0]}),
    ("QuantizeLinear", {"output_dtype": [1, 2]}),
    ("AveragePool", {"auto_pad": 1 << 45, "kernel_shape": [2, 2]}),
    ("AveragePool", {"auto_pad": "SAME", "kernel_shape": [2, 2]}),
    ("Gelu", {"approximate": "Tanh"}),
    ("AveragePool", {"pads": [1 << 25, 0, 1 << 25, 0], "kernel_shape": [2, 2]}),
    ("Pad", {"mode": "wrap"}),
])  # fmt: skip
def test_what_an_attribute_cannot_be_is_told(
    m: OnnxWriter, kind: str, options: dict[str, Any]
) -> None:
    more = {"Gemm": normal(8, 5), "QuantizeLinear": np.float32(1), "Pad": np.array([1 << 33] * 8)}
    inputs = ["x", *([m.constant(more[kind])] if kind in more else [])]
    shape = ROWS if kind in ("Gemm", "QuantizeLinear") else (1, 4, 6, 6)
    path = saved(m, m.node(kind, inputs, **options), m.folder, shape)
    with pytest.raises(ToolchainError, match=r"MDL01[34]|MDL006"):
        read(path, "m", shipped_ops())


@pytest.mark.parametrize(
    "kind", ["Sum", "Mean", "ReduceL2", "QuantizeLinear", "Conv", "Gemm", "Erf", "Add"]
)
def test_an_operator_without_outputs_is_told(m: OnnxWriter, kind: str) -> None:
    products = m.node("MatMul", ["x", m.constant(normal(8, 5))])
    m.node(kind, [products, m.constant(normal(1))] if kind == "Add" else ["x", "x"])
    m.nodes[1].ClearField("output")
    path = saved(m, m.node("Relu", ["x"]), m.folder, ROWS)
    with pytest.raises(ToolchainError, match="MDL0"):
        read(path, "m", shipped_ops())


def test_layers_over_sequences_turn_nothing(m: OnnxWriter) -> None:
    y = m.node("Relu", [m.node("Conv", ["x", m.constant(normal(6, 4, 3))], pads=[1, 1])])
    y = m.node("MaxPool", [y], kernel_shape=[2], strides=[2])
    y = m.node("Conv", [y, m.constant(normal(6, 1, 3)), m.constant(normal(6))], group=6)
    y = m.node("Flatten", [m.node("Unsqueeze", [y, m.constant(np.array([2]))])])
    path = saved(m, m.node("Gemm", [y, m.constant(normal(18, 3))]), m.folder, (1, 4, 10))
    near(found(path, random((1, 4, 10))), wanted(path, random((1, 4, 10))), rtol=1e-5, atol=1e-5)
    assert "layout: 0 transposes are left" in read(path, "m", shipped_ops())[0].assumed


def test_attention_sees_a_window_and_shares_heads(m: OnnxWriter) -> None:
    k, v = m.constant(normal(1, 1, 5, 8)), m.constant(normal(1, 1, 5, 4))
    options = {"left_window_size": 1, "right_window_size": 2, "softcap": 0.5}
    y = m.node("Attention", ["x", k, v], **options)
    path = m.folder / "m.onnx"
    path.write_bytes(m.model((1, 2, 4, 8), y, opset=25).SerializeToString())
    x = random((1, 2, 4, 8))
    near(found(path, x), wanted(path, x), rtol=1e-5, atol=1e-6)


INFINITE = np.array([0.5, -np.inf, np.inf, 1, 2, 3, -4, -np.inf], np.float32)


@pytest.mark.parametrize("kind", ["Add", "Sub", "Div"])
def test_sums_with_infinite_constants_are_infinite(m: OnnxWriter, kind: str) -> None:
    path = saved(m, m.node("Relu", [m.node(kind, ["x", m.constant(INFINITE)])]), m.folder, ROWS)
    np.testing.assert_array_equal(found(path, random(ROWS)), wanted(path, random(ROWS)))


@pytest.mark.parametrize("kind", ["Mul", "MatMul"])
def test_infinite_factors_are_refused(m: OnnxWriter, kind: str) -> None:
    path = saved(m, m.node(kind, ["x", m.constant(np.diag(INFINITE))]), m.folder, (8, 8))
    with pytest.raises(ToolchainError, match="MDL014.*infinite"):
        read(path, "m", shipped_ops())


def test_each_channel_is_divided_by_those_around_it(tmp_path: Path) -> None:
    """Each channel is divided by its neighbours, as defined; onnx.reference 1.23.2 leaves channels
    out.
    """
    m, x = OnnxWriter(), random((1, 4, 2, 3))
    path = saved(m, m.node("LRN", ["x"], size=3, alpha=0.5), tmp_path, x.shape)
    squares = np.pad(x.astype(np.float64) ** 2, [(0, 0), (1, 1), (0, 0), (0, 0)])
    sums = squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]
    near(found(path, x), x / (1 + 0.5 / 3 * sums) ** 0.75, rtol=1e-5, atol=1e-6)

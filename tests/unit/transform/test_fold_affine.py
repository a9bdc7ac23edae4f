"""Batch norms go into float convolutions: bit for bit where that is possible, else when asked."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from opsmith.ir import Array, Graph
from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.litert import Reference
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d
from tests.programs import compiled

OPS = shipped_ops()
Layer = Callable[[ModelWriter, ModelTensor, Array], ModelTensor]


def conv(m: ModelWriter, x: ModelTensor, bias: Array) -> ModelTensor:
    w = np.random.default_rng(1).normal(0, 1, (4, 2, 2, 3)).astype(np.float32)
    y = m.tensor("conv", (1, 3, 3, 4), "float32")
    return conv_2d(m, x, m.constant("w", w), m.constant("b", bias), y, padding="VALID")


def depthwise(m: ModelWriter, x: ModelTensor, bias: Array) -> ModelTensor:
    w = np.random.default_rng(2).normal(0, 1, (1, 3, 3, 3)).astype(np.float32)
    y = m.tensor("conv", (1, 4, 4, 3), "float32")
    options: dict[str, int | str] = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    options["depth_multiplier"] = 1
    given = [x, m.constant("w", w), m.constant("b", bias[:3])]
    m.node("DEPTHWISE_CONV_2D", given, [y], options)
    return y


def dense(m: ModelWriter, x: ModelTensor, bias: Array) -> ModelTensor:
    w = np.random.default_rng(3).normal(0, 1, (4, 48)).astype(np.float32)
    y = m.tensor("conv", (1, 4), "float32")
    m.node("FULLY_CONNECTED", [x, m.constant("w", w), m.constant("b", bias)], [y])
    return y


LAYERS = (conv, depthwise, dense)


def model(
    layer: Layer, bias: float, *rest: tuple[str, Sequence[float]], activation: str = "NONE"
) -> bytes:
    """Model of the layer with a bias, followed by nodes with constants of its channels."""
    m = ModelWriter()
    value = layer(m, m.input("x", (1, 4, 4, 3), "float32"), np.full(4, bias, np.float32))
    for i, (name, numbers) in enumerate(rest):
        k = np.resize(np.array(numbers, np.float32), value.shape[-1])
        y = m.tensor(f"y{i}", value.shape, "float32")
        options = {"fused_activation_function": activation if i + 1 == len(rest) else "NONE"}
        given = [value, m.constant(f"k{i}", k)]
        m.node(name, given[::-1] if i % 2 and name != "SUB" else given, [y], options)
        value = y
    m.output(value)
    return bytes(m.bytes())


def outputs(graph: Graph, sets: Sequence[Sequence[Array]]) -> list[Array]:
    return [evaluate(graph, OPS, each)[graph.outputs[0]] for each in sets]


def inputs(reference: Reference) -> list[list[Array]]:
    """Inputs of the model: random ones, and such as make sums infinite, of one sign."""
    sets = seeded_inputs(reference.inputs, 12)
    most = np.float32(np.finfo(np.float32).max)
    return [*sets, [np.full((1, 4, 4, 3), most)], [np.full((1, 4, 4, 3), -most)]]


def same_but_nan(one: Array, other: Array) -> None:
    """Require equal bits, any NaN being equal to NaN."""
    np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
    known = ~np.isnan(one)
    np.testing.assert_array_equal(one.view(np.uint32)[known], other.view(np.uint32)[known])


@pytest.mark.slow
@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("activation", ["NONE", "RELU", "RELU6"])
@pytest.mark.parametrize("name", ["ADD", "SUB"])
@pytest.mark.parametrize("k", [(0.1, -2.0, 3.3), (1e30, -1e30, 1.01e31), (-0.0, 0.0, 1e-44)])
def test_an_addend_behind_no_bias_is_folded_bit_for_bit(
    layer: Layer, activation: str, name: str, k: Sequence[float]
) -> None:
    content = model(layer, 0.0, (name, k), activation=activation)
    graph = compiled(content).graph
    assert len(graph.nodes) == 1
    reference = Reference(content)
    sets = inputs(reference)
    for got, each in zip(outputs(graph, sets), sets, strict=True):
        same_but_nan(got, reference.run(each)[0])


@pytest.mark.parametrize("content", [
    model(conv, 0.5, ("ADD", [1.0, 2.0])),
    model(conv, 0.0, ("MUL", [2.0])),
    model(conv, 0.0, ("ADD", [2.0**103, 0.0])),
    model(conv, 0.0, ("ADD", [np.inf, 0.0])),
    model(conv, 0.0, ("ADD", [np.nan, 0.0])),
], ids=["bias", "factor", "large", "infinite", "nan"])  # fmt: skip
def test_what_could_change_a_bit_stays(content: bytes) -> None:
    assert len(compiled(content).steps) == 2


@pytest.mark.parametrize("k", [2.0**103, -(2.0**103)])
def test_the_limit_is_where_the_greatest_number_moves(k: float) -> None:
    """The limit is where the greatest number M moves, as fold_affine proves: below 2^103, M + k is
    M.
    """
    most, limit = np.finfo(np.float32).max, np.float32(k)
    below = np.nextafter(limit, np.float32(0))
    with np.errstate(over="ignore"):
        assert np.clip(most + below, -most, most) == most
        assert np.clip(-most + below, -most, most) == -most
        ends = (most + limit, -most + limit)
    assert ends != (most, -most)


@pytest.mark.slow
@pytest.mark.parametrize("layer", LAYERS)
def test_a_batch_norm_is_folded_when_asked(layer: Layer) -> None:
    norm = [("MUL", [0.5, -1.5, 3.0, 0.1]), ("ADD", [1.0, 2.0, -3.0]), ("SUB", [0.25])]
    content = model(layer, 0.5, *norm, activation="RELU")
    assert len(compiled(content).steps) == 4
    graph = compiled(content, fold_floats=True).graph
    assert len(graph.nodes) == 1
    assert graph.nodes[0].attributes["activation"] == "RELU"
    reference = Reference(content)
    random = np.random.default_rng(4)
    sets = [[random.normal(0, 1, (1, 4, 4, 3)).astype(np.float32)] for _ in range(20)]
    for got, each in zip(outputs(graph, sets), sets, strict=True):
        np.testing.assert_allclose(got, reference.run(each)[0], rtol=1e-5, atol=1e-5)


def test_factors_that_overflow_are_not_folded() -> None:
    content = model(conv, 0.5, ("MUL", [1e30]), ("MUL", [1e30]))
    assert len(compiled(content, fold_floats=True).steps) == 2


def test_what_others_read_stays() -> None:
    m = ModelWriter()
    x = m.input("x", (1, 4, 4, 3), "float32")
    value = conv(m, x, np.zeros(4, np.float32))
    y = m.tensor("y", value.shape, "float32")
    k = m.constant("k", np.array([1, 2, 3, 4], np.float32))
    m.node("ADD", [value, k], [y], {})
    m.output(y, value)
    assert len(compiled(bytes(m.bytes())).steps) == 2

"""Layers of .onnx files that find scales while the model runs have the elements of ONNX."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_dynamic import found as scaled
from tests.unit.frontend.onnx_dynamic import layer, network
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import found, saved, wanted

RNG = np.random.default_rng(47)
W = RNG.integers(-128, 128, (20, 6), np.int8)
U = RNG.integers(0, 256, (20, 6), np.uint8)
DEEP = RNG.integers(-128, 128, (1500, 3), np.int8)  # sums of two halves are exact
Layer = tuple[tuple[int, ...], Array, Any, dict[str, Any]]
LAYERS: dict[str, Layer] = {
    "product": ((2, 20), W, 0, {}),
    "product of three axes": ((2, 3, 20), W, -7, {}),
    "zero points of columns": ((1, 20), U, [128, 0, 255, 7, 100, 131], {}),
    "halves": ((1, 1500), DEEP, 0, {}),
    "sequence": ((1, 20, 9), W.T[..., None], 0, {"pads": [0, 2]}),
    "image": ((1, 3, 7, 8), W[:, :3, None, None], 3, {"strides": [2, 1]}),
    "groups": ((1, 20, 5, 5), U[..., :4].reshape(20, 1, 2, 2), 119, {"group": 20}),
    "halves of channels": ((1, 500, 2, 3), DEEP.reshape(3, 500, 1, 3), 0, {}),
}


def inputs(shape: tuple[int, ...]) -> list[Array]:
    """Elements of which some have no range, one sign, the smallest numbers or halves."""
    some = RNG.normal(0, 3, shape)
    steps = RNG.integers(-102, 154, shape) + 0.5
    steps.flat[:2] = -102, 153  # their scale is 1
    whole = [some * 0, some * 0 + 5, np.abs(some) + 1, -np.abs(some), some * 1e-44, some, steps]
    return [each.astype(np.float32) for each in whole]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_has_the_bytes_of_the_reference(name: str, m: OnnxWriter) -> None:
    shape, weights, points, options = LAYERS[name]
    path = saved(m, layer(m, "x", weights, 0.013, points, **options), m.folder, shape)
    for x in inputs(shape):
        assert found(path, x).tobytes() == wanted(path, x).tobytes()


def test_a_network_has_the_bytes_of_the_reference(tmp_path: Path) -> None:
    m, y = network()
    path = saved(m, y, tmp_path, (1, 3, 8, 8))
    for x in inputs((1, 3, 8, 8))[1:]:
        assert found(path, x).tobytes() == wanted(path, x).tobytes()


@pytest.mark.parametrize("kind", ["DynamicQuantizeMatMul", "MatMulIntegerToFloat"])
@pytest.mark.parametrize("biased", [False, True])
def test_what_onnxruntime_fuses_is_the_same(kind: str, biased: bool, tmp_path: Path) -> None:
    (one := tmp_path / "plain").mkdir()
    bias, x = RNG.normal(0, 1, 6).astype(np.float32), inputs((2, 20))[-2]
    m = OnnxWriter()
    y = layer(m, "x", W, 0.013, 2)
    plain = saved(m, m.node("Add", [y, m.constant(bias)]) if biased else y, one, (2, 20))
    m = OnnxWriter()
    scale, zero = m.constant(np.float32(0.013)), m.constant(np.int8(2))
    more = [m.constant(bias)] if biased else []
    if kind == "DynamicQuantizeMatMul":
        y = m.node(kind, ["x", m.constant(W), scale, zero, *more])
    else:
        elements, step, point = scaled(m, "x")
        y = m.node(kind, [elements, m.constant(W), step, scale, point, zero, *more])
    m.nodes[-1].domain = "com.microsoft"
    model = m.model((2, 20), y)
    model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    (path := tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    assert found(path, x).tobytes() == wanted(plain, x).tobytes()


def test_flash_for_weights_is_that_of_integers(m: OnnxWriter) -> None:
    path = saved(m, layer(m, "x", W, 0.013, 0), m.folder, (1, 20))
    _, graph = read(path, "m", shipped_ops())
    (product,) = (node for node in graph.nodes if node.op == "fully_connected")
    held = graph.tensors[str(product.inputs[1])].constant
    assert held is not None and held.computed


def product(m: OnnxWriter, *names: str) -> str:
    """Sums of a MatMulInteger as float32."""
    return m.node("Cast", [m.node("MatMulInteger", names)], to=1)


def relu(m: OnnxWriter) -> str:
    """Function of the elements themselves."""
    return m.node("Relu", [scaled(m, "x")[0]])


def no_point(m: OnnxWriter) -> str:
    """Layer that takes the zero point for 0."""
    return product(m, scaled(m, "x")[0], m.constant(W))


def unnamed(m: OnnxWriter) -> str:
    """Layer of elements whose zero point has no name."""
    elements = scaled(m, "x")[0]
    m.nodes[-1].output[2] = ""
    return product(m, elements, m.constant(W))


def both(m: OnnxWriter) -> str:
    """Product of computed elements with themselves."""
    elements, _, point = scaled(m, "x")
    return product(m, elements, elements, point, point)


def sums(m: OnnxWriter) -> str:
    """Sums of int32 that are an output."""
    elements, _, point = scaled(m, "x")
    return m.node("MatMulInteger", [elements, m.constant(W), point])


def deep(m: OnnxWriter) -> str:
    """Sums beyond 2^25."""
    elements, _, point = scaled(m, "x")
    return product(m, elements, m.constant(np.full((2000, 2), -128, np.int8)), point)


@pytest.mark.parametrize(("build", "size", "says"), [
    (relu, 20, "MDL013.*is elements of a quantised layer"),
    (lambda m: scaled(m, "x")[0], 20, "MDL013.*it is elements"),
    (no_point, 20, "MDL013.*no DynamicQuantizeLinear wrote"),
    (unnamed, 20, "MDL013.*no DynamicQuantizeLinear wrote"),
    (both, 20, "MDL013.*is elements"),
    (sums, 20, "MDL013.*it is sums"),
    (deep, 2000, "MDL014.*beyond 2.24"),
])  # fmt: skip
def test_what_is_not_exact_or_read_otherwise_is_refused(
    build: Callable[[OnnxWriter], str], size: int, says: str, m: OnnxWriter
) -> None:
    path = saved(m, build(m), m.folder, (20, size))
    with pytest.raises(ToolchainError, match=says) as caught:
        read(path, "m", shipped_ops())
    assert "nodes_to_exclude" in caught.value.problems[0].fix

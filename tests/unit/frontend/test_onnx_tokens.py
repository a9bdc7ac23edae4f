"""Tokens of an image, whose places are one axis, are stored as the image is."""

from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.frontend.onnx.shapes import kept_order
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_models import OnnxWriter
from tests.unit.frontend.pt2_models import Name, Pt2Writer
from tests.unit.frontend.test_onnx_operators import wanted

RNG = np.random.default_rng(11)
DEPTH, PLACES = 6, 12


def constant(m: OnnxWriter, *shape: int) -> str:
    return m.constant(RNG.normal(0, 0.5, shape).astype(np.float32))


def tokens(m: OnnxWriter) -> str:
    """Patches of an image of 3x6x8, as 12 tokens of 6 elements."""
    y = m.node("Conv", ["x", constant(m, DEPTH, 3, 2, 2)], strides=[2, 2])
    return m.node("Transpose", [m.node("Reshape", [y, shape(m, 1, DEPTH, -1)])], perm=[0, 2, 1])


def shape(m: OnnxWriter, *sizes: int) -> str:
    return m.constant(np.array(sizes))


def classes(m: OnnxWriter) -> str:
    y = m.node("Add", [tokens(m), constant(m, 1, PLACES, DEPTH)])
    y = m.node("Add", [y, m.node("MatMul", [y, constant(m, DEPTH, DEPTH)])])
    y = m.node("ReduceMean", [m.node("Softmax", [y], axis=-1)], axes=[1], keepdims=0)
    return m.node("MatMul", [y, constant(m, DEPTH, 4)])


def attention(m: OnnxWriter) -> str:
    """Weighted mean of tokens, by a product whose second matrix is exchanged as it lies."""
    y = tokens(m)
    q, k = (m.node("MatMul", [y, constant(m, DEPTH, DEPTH)]) for _ in range(2))
    k = m.node("Transpose", [k], perm=[0, 2, 1])
    y = m.node("MatMul", [m.node("Softmax", [m.node("MatMul", [q, k])], axis=-1), y])
    return m.node("MatMul", [y, constant(m, DEPTH, 4)])


def image(m: OnnxWriter) -> str:
    y = m.node("Relu", [m.node("MatMul", [tokens(m), constant(m, DEPTH, DEPTH)])])
    y = m.node("Reshape", [m.node("Transpose", [y], perm=[0, 2, 1]), shape(m, 1, DEPTH, 3, 4)])
    return m.node("Conv", [y, constant(m, 2, DEPTH, 3, 3)], pads=[1, 1, 1, 1])


def channels(m: OnnxWriter) -> str:
    """Output that keeps ONNX's order, since no operator gives it another."""
    y = m.node("Conv", ["x", constant(m, DEPTH, 3, 2, 2)], strides=[2, 2])
    return m.node("Relu", [m.node("Reshape", [y, shape(m, 1, DEPTH, -1)])])


@pytest.mark.parametrize(("make", "transposes", "order"), [
    (classes, 0, (0, 1)),
    (attention, 0, (0, 1, 2)),
    (image, 0, (0, 2, 3, 1)),
    (channels, 1, (0, 1, 2)),
])  # fmt: skip
def test_tokens_of_an_image_are_not_transposed(
    m: OnnxWriter, make: Any, transposes: int, order: tuple[int, ...]
) -> None:
    path = m.save(m.folder / "m.onnx", [1, 3, 6, 8], make(m), 17)
    x = RNG.normal(0, 1, (1, 3, 6, 8)).astype(np.float32)
    _, graph = read(path, "m", shipped_ops())
    assert sum(node.op == "transpose" for node in graph.nodes) == transposes
    found = Evaluator(graph, shipped_ops()).run([x.transpose(0, 2, 3, 1)])[graph.outputs[0]]
    np.testing.assert_allclose(found, wanted(path, x).transpose(order), rtol=1e-5, atol=1e-6)


def test_tokens_of_torch_are_not_transposed(tmp_path: Path) -> None:
    m = Pt2Writer((1, 3, 6, 8))
    w, v = (m.parameter(RNG.normal(0, 1, s).astype(np.float32)) for s in ((6, 3, 2, 2), (4, 6)))
    y = m.call("conv2d", (1, 6, 3, 4), input=Name("x"), weight=w, bias=None, stride=[2, 2])
    y = m.call("view", (1, 6, 12), self=y, size=[1, 6, 12])
    y = m.call("permute", (1, 12, 6), self=y, dims=[0, 2, 1])
    y = m.call("linear", (1, 12, 4), input=y, weight=v, bias=None)
    _, graph = read(m.save(tmp_path / "m.pt2", y), "m", shipped_ops())
    assert "transpose" not in {node.op for node in graph.nodes}


def test_an_order_that_is_kept_is_that_of_the_elements() -> None:
    kept = 0
    for _ in range(3000):
        sizes = RNG.integers(1, 4, RNG.integers(2, 6))
        cuts = sorted({0, len(sizes), *RNG.integers(0, len(sizes) + 1, 3).tolist()})
        new = tuple(prod(sizes[a:b].tolist()) for a, b in pairwise(cuts))
        old, new = (tuple(sizes.tolist()), new)[:: RNG.choice([1, -1])]
        order = tuple(RNG.permutation(len(old)).tolist())
        found = kept_order(old, order, new)
        x = np.arange(prod(old)).reshape(old)
        if found:
            kept += 1
            stored = x.transpose(order).reshape([new[axis] for axis in found])
            np.testing.assert_array_equal(stored, x.reshape(new).transpose(found))
    assert kept > 300

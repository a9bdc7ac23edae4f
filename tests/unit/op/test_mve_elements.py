"""Constants of Helium's affine functions: every output is the op's own, or there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from runtimes.cmsis.mve_elements import MveElements, MvePair, elements, pair
from runtimes.core.affine import BYTES
from toolchain.ir.types import i8
from toolchain.op.describe import Example, ExampleTensor
from toolchain.op.discover import load_op
from toolchain.op.examples import example_graph
from toolchain.op.node import view
from toolchain.op.view import NodeView

OPS = Path(__file__).resolve().parents[3] / "ops"
Ints = NDArray[np.int64]
Quantised = tuple[float, int]
RESNET = ((0.03641735, -128), (0.02931172, -3), (0.04022341, -128))
TIES = ((0.25, 1), (0.5, -2), (2.0, 3))
SIGNS = {"add": (1, 1), "sub": (1, -1)}


def node_of(name: str, tensors: dict[str, Quantised], activation: str = "") -> NodeView:
    op = load_op(OPS / name).op
    given = {
        key: ExampleTensor(i8, (20,), float(np.float32(scale)), zero)
        for key, (scale, zero) in tensors.items()
    }
    attributes = {"activation": activation} if activation else {}
    graph = example_graph(op, Example(given, attributes), 0)
    return view(graph, graph.nodes[0], op)


def stored(found: MvePair | MveElements, sums: Ints) -> Ints:
    """What mve_elements.h makes of sums: high halves, shifted left and saturated, then bytes."""
    assert np.abs(sums).max() < 1 << 31
    assert 0 <= found.left <= 8
    halves = np.clip((sums >> 16) << found.left, -(1 << 15), (1 << 15) - 1)
    return np.asarray(np.clip(halves >> 8, found.y_min, found.y_max))


@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("activation", ["NONE", "RELU", "RELU6"])
@pytest.mark.parametrize("quantised", [RESNET, TIES, ((0.0517, -3), (0.0329, 7), (0.0713, 4))])
def test_every_pair(name: str, activation: str, quantised: tuple[Quantised, ...]) -> None:
    node = node_of(name, dict(zip("aby", quantised, strict=True)), activation)
    evaluate = load_op(OPS / name).op.evaluate
    assert evaluate is not None
    found = pair(node, evaluate, SIGNS[name])
    assert found is not None
    assert found.size == (1, 1, 1, 1, 20)
    a, b = BYTES[:, None], BYTES[None, :]
    (wanted,) = evaluate(node, [a, b])
    sums = a * found.a_multiplier + found.offset + b * found.b_multiplier
    assert np.array_equal(stored(found, sums), wanted)


@pytest.mark.parametrize("name", ["relu", "relu6", "quantize"])
@pytest.mark.parametrize("scale", [0.02, 0.05, 0.3])
@pytest.mark.parametrize("zeros", [(3, 3), (-128, 127), (100, -9)])
def test_every_element(name: str, scale: float, zeros: tuple[int, int]) -> None:
    node = node_of(name, {"x": (0.05, zeros[0]), "y": (scale, zeros[1])})
    evaluate = load_op(OPS / name).op.evaluate
    assert evaluate is not None
    found = elements(node, evaluate)
    assert found is not None
    (wanted,) = evaluate(node, [BYTES])
    assert np.array_equal(stored(found, BYTES * found.multiplier + found.offset), wanted)


def test_sums_without_room_for_16_bits_of_fraction_are_refused() -> None:
    node = node_of("add", {"a": (0.5, 0), "b": (0.5, 0), "y": (0.0001, 0)})
    evaluate = load_op(OPS / "add").op.evaluate
    assert evaluate is not None
    assert pair(node, evaluate, (1, 1)) is None

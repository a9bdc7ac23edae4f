"""Constants of Helium's affine functions: every output is the op's own, or there are none."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from opsmith.ir import DType
from opsmith.ir.types import i8, u8
from opsmith.op.declare import Example, ExampleTensor
from opsmith.op.examples import example_graph
from opsmith.op.kernel import Refused
from opsmith.op.node import view
from opsmith.op.view import NodeView
from opsmith.testing.known_ops import loaded
from runtimes.cmsis.mve_elements import MveElements, MvePairs, elements, pair
from runtimes.core.affine import BYTES, Evaluate

OPS = Path(__file__).resolve().parents[3] / "ops"
Ints = NDArray[np.int64]
Quantised = tuple[float, int]
RESNET = ((0.03641735, -128), (0.02931172, -3), (0.04022341, -128))
TIES = ((0.25, 1), (0.5, -2), (2.0, 3))
SIGNS = {"add": (1, 1), "sub": (1, -1)}


def node_of(
    name: str, tensors: dict[str, Quantised], activation: str = "", dtype: DType = i8
) -> NodeView:
    op = loaded(OPS / name).op
    given = {
        key: ExampleTensor(dtype, (20,), float(np.float32(scale)), zero)
        for key, (scale, zero) in tensors.items()
    }
    attributes = {"activation": activation} if activation else {}
    graph = example_graph(op, Example(given, attributes), 0)
    return view(graph, graph.nodes[0], op)


def evaluate_of(name: str, dtype: DType = i8) -> Evaluate:
    """Function that computes the op in numpy, where all of its tensors are of the given type."""
    variants = loaded(OPS / name).op.variants
    found = next(each.evaluate for each in variants if set(each.types.values()) == {dtype})
    assert found is not None
    return found


def stored(found: MvePairs | MveElements, sums: Ints) -> Ints:
    """Outputs of mve_elements.h for sums: high halves, shifted left and saturated, then bytes."""
    assert np.abs(sums).max() < 1 << 31
    assert 0 <= found.left <= 8
    halves = np.clip((sums >> 16) << found.left, -(1 << 15), (1 << 15) - 1)
    return np.asarray(np.clip(halves >> 8, found.y_min, found.y_max))


@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("activation", ["NONE", "RELU", "RELU6"])
@pytest.mark.parametrize("quantised", [RESNET, TIES, ((0.0517, -3), (0.0329, 7), (0.0713, 4))])
def test_every_pair(name: str, activation: str, quantised: tuple[Quantised, ...]) -> None:
    node = node_of(name, dict(zip("aby", quantised, strict=True)), activation)
    evaluate = evaluate_of(name)
    found = pair(node, evaluate, SIGNS[name])
    assert not isinstance(found, Refused)
    assert found.size == (1, 1, 1, 1, 20)
    a, b = BYTES[:, None], BYTES[None, :]
    (wanted,) = evaluate(node, [a, b])
    sums = a * found.a_multiplier + found.offset + b * found.b_multiplier
    assert np.array_equal(stored(found, sums), wanted)


@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("activation", ["NONE", "RELU6"])
def test_every_pair_of_uint8(name: str, activation: str) -> None:
    quantised = {key: (scale, zero + 128) for key, (scale, zero) in zip("aby", RESNET, strict=True)}
    node = node_of(name, quantised, activation, u8)
    evaluate = evaluate_of(name, u8)
    found = pair(node, evaluate, SIGNS[name])
    assert not isinstance(found, Refused)
    a, b = BYTES[:, None], BYTES[None, :]
    (wanted,) = evaluate(node, [a + 128, b + 128])
    sums = a * found.a_multiplier + found.offset + b * found.b_multiplier
    assert np.array_equal(stored(found, sums) + 128, wanted)


@pytest.mark.parametrize("name", ["relu", "relu6", "quantize"])
@pytest.mark.parametrize("scale", [0.02, 0.05, 0.3])
@pytest.mark.parametrize("zeros", [(3, 3), (-128, 127), (100, -9)])
def test_every_element(name: str, scale: float, zeros: tuple[int, int]) -> None:
    node = node_of(name, {"x": (0.05, zeros[0]), "y": (scale, zeros[1])})
    evaluate = evaluate_of(name)
    found = elements(node, evaluate)
    assert not isinstance(found, Refused)
    (wanted,) = evaluate(node, [BYTES])
    assert np.array_equal(stored(found, BYTES * found.multiplier + found.offset), wanted)


def test_sums_without_room_for_16_bits_of_fraction_are_refused() -> None:
    node = node_of("add", {"a": (0.5, 0), "b": (0.5, 0), "y": (0.0001, 0)})
    evaluate = evaluate_of("add")
    found = pair(node, evaluate, (1, 1))
    assert found == Refused("sums are shifted by 10, not by 16 to 24")

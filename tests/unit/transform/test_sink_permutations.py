"""Permutations sink to others and into constants; what is computed stays byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest

from opsmith.ir import Constant, Graph, Node, Quantization, Tensor
from opsmith.ir.types import DType, f32, i8, i32
from opsmith.op.node import node_problems
from opsmith.oracle.evaluate import evaluate
from opsmith.testing.known_ops import shipped_ops
from opsmith.transform.merge_permutations import merge_permutations
from opsmith.transform.remove_identities import remove_identities
from opsmith.transform.sink_permutations import sink_permutations

OPS = shipped_ops()
SCALE = Quantization((0.5,), (3,))
SHAPE = (1, 2, 3, 4)


class Line:
    """Graph of a chain of nodes, built node by node."""

    def __init__(self, shape: Sequence[int], dtype: DType = i8) -> None:
        self.tensors = {"x": Tensor("x", "x", dtype, tuple(shape), SCALE if dtype == i8 else None)}
        self.nodes: list[Node] = []

    def constant(self, array: np.ndarray, dtype: DType, scale: Quantization | None = None) -> str:
        """Name of a new constant."""
        name = f"c{len(self.tensors)}"
        kept = Constant(array.astype(dtype.numpy))
        self.tensors[name] = Tensor(name, name, dtype, array.shape, scale, kept)
        return name

    def node(
        self, op: str, shape: Sequence[int], *constants: str | None, **attributes: object
    ) -> Line:
        """Line with one more node, whose output has the type of x."""
        name, read = f"t{len(self.nodes)}", self.nodes[-1].outputs[0] if self.nodes else "x"
        self.tensors[name] = replace(self.tensors["x"], id=name, name=name, shape=tuple(shape))
        made = Node(name, op, (read, *constants), (name,), attributes, f"operator {name}")
        self.nodes.append(made)
        return self

    def turned(self, *order: int) -> Line:
        """Line with a permutation of axes appended."""
        shape = self.tensors[self.nodes[-1].outputs[0] if self.nodes else "x"].shape
        to = self.constant(np.array(order), i32)
        return self.node("transpose", [shape[axis] for axis in order], to)

    def padded(self, *borders: tuple[int, int]) -> Line:
        """Line with a border appended."""
        shape = self.tensors[self.nodes[-1].outputs[0]].shape
        sizes = [size + sum(border) for size, border in zip(shape, borders, strict=True)]
        return self.node("pad", sizes, self.constant(np.array(borders), i32), None)

    def product(self, rows: int, width: int) -> Line:
        """Line with a flattening and a product by random weights appended."""
        self.node("reshape", (rows, width), None, new_shape=(rows, width))
        weights, scale = np.random.default_rng(7).integers(-9, 9, (5, width)), None
        if self.tensors["x"].dtype == i8:
            scale = Quantization((0.25,), (0,))
        name = self.constant(weights, self.tensors["x"].dtype, scale)
        options = {"activation": "NONE", "keep_num_dims": False}
        options |= {"asymmetric_quantize_inputs": False, "quantized_bias_type": "FLOAT32"}
        return self.node("fully_connected", (rows, 5), name, None, **options, clamp=())

    def graph(self, *outputs: str) -> Graph:
        """Graph of the line, verified."""
        ends = outputs or (self.nodes[-1].outputs[0],)
        made = Graph("g", self.tensors, tuple(self.nodes), ("x",), ends)
        assert [p for n in made.nodes for p in node_problems(made, n, OPS[n.op], n.source)] == []
        return made


def sunk(before: Graph) -> list[str]:
    """Names of the ops left after sinking; requires that outputs are as before."""
    after = remove_identities(merge_permutations(sink_permutations(before, OPS), OPS), OPS)
    x = before.tensors["x"]
    given = np.random.default_rng(5).integers(-99, 99, x.shape).astype(x.dtype.numpy)
    wanted, found = evaluate(before, OPS, [given]), evaluate(after, OPS, [given])
    for name in before.outputs:
        np.testing.assert_array_equal(found[name], wanted[name])
    return [node.op for node in after.nodes]


def test_a_border_between_two_orders_is_that_of_other_axes() -> None:
    borders = ((0, 0), (0, 0), (0, 1), (2, 1))
    line = Line(SHAPE).turned(0, 3, 1, 2).padded(*borders).turned(0, 2, 3, 1)
    assert sunk(line.graph()) == ["pad"]
    line = Line(SHAPE).turned(0, 3, 1, 2).turned(0, 3, 1, 2)
    assert sunk(line.graph()) == ["transpose"]


@pytest.mark.parametrize("seed", range(12))
def test_orders_sink_below_borders_and_functions(seed: int) -> None:
    chance = Random(seed)
    orders = [*permutations(range(3))]
    line = Line((2, 3, 4)).turned(*chance.choice(orders))
    for _ in range(chance.randint(1, 3)):
        shape = line.tensors[line.nodes[-1].outputs[0]].shape
        if chance.random() < 0.4:
            line.node("relu", shape)
        else:
            line.padded(*((chance.randint(0, 2), chance.randint(0, 2)) for _ in shape))
    assert sunk(line.turned(*chance.choice(orders)).graph()).count("transpose") <= 1


def test_rows_of_what_was_permuted_have_their_weights_in_its_order() -> None:
    line = Line((2, 3, 4, 5)).turned(0, 3, 1, 2).product(2, 60)
    assert sunk(line.graph()) == ["reshape", "fully_connected"]
    line = Line((2, 3, 4, 5)).turned(0, 3, 1, 2).node("reshape", (2, 60), None, new_shape=(2, 60))
    assert sunk(line.node("relu", (2, 60)).product(2, 60).graph()).count("transpose") == 0


@pytest.mark.parametrize("line", [
    Line((2, 3, 4), f32).turned(0, 2, 1).product(2, 12),  # sums of floats have an order
    Line((2, 3, 4)).turned(1, 0, 2).product(3, 8),  # rows are of several
    Line((2, 3, 4)).turned(0, 2, 1).product(4, 6),
    Line((2, 3, 4)).turned(0, 2, 1).padded((0, 1), (0, 0), (0, 0)),
    Line((2, 3, 4)).turned(0, 2, 1).padded((0, 1), (0, 0), (0, 0)).product(3, 12),
])  # fmt: skip
def test_other_permutations_stay(line: Line) -> None:
    assert sunk(line.graph()).count("transpose") == 1


@pytest.mark.parametrize("seen", ["t0", "t1"])
def test_tensors_that_others_see_stay(seen: str) -> None:
    line = Line((2, 3, 4)).turned(0, 2, 1).padded((0, 1), (0, 0), (0, 0)).turned(0, 2, 1)
    assert sunk(line.graph("t2", seen)) == ["transpose", "pad", "transpose"]

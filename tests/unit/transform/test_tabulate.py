"""Nodes that are a function of one tensor of bytes become a table, where that changes no byte."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Graph
from opsmith.ir.verify import verify
from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Reading, read, used_ops
from opsmith.select.choice import NO_PREFERENCES
from opsmith.select.declared_figures import DeclaredFigures
from opsmith.select.flash_budget import NOTHING, UNLIMITED
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from opsmith.transform.remove_dead_nodes import remove_dead_nodes
from opsmith.transform.tabulate import tabulate

OPS = shipped_ops()
SHAPE = (1, 16, 16)
EVERY = np.arange(256).astype(np.uint8)
NONE = {"fused_activation_function": "NONE"}
Values = list[ModelTensor]


class Drawn:
    """Model of one tensor of bytes, and of functions of its elements."""

    def __init__(self, seed: int = 0, dtype: str = "int8", m: ModelWriter | None = None) -> None:
        self.m, self.random, self.dtype = m or ModelWriter(), np.random.default_rng(seed), dtype
        self.names = (f"{dtype}/{i}" for i in itertools.count())
        self.bytes = [self.m.input(next(self.names), SHAPE, dtype, 0.04, self.zero(-5))]

    def zero(self, of_int8: int) -> int:
        """Zero point of the type for that of int8."""
        return of_int8 + 128 * (self.dtype == "uint8")

    def tensor(self, shape: tuple[int, ...] = SHAPE) -> ModelTensor:
        """A new tensor of a drawn scale."""
        scale, zero_point = self.random.uniform(0.01, 0.09), int(self.random.integers(-40, 40))
        return self.m.tensor(next(self.names), shape, self.dtype, scale, self.zero(zero_point))

    def logistic(self, x: ModelTensor) -> ModelTensor:
        """Logistic of a tensor."""
        y = self.m.tensor(next(self.names), SHAPE, self.dtype, 1 / 256, self.zero(-128))
        return self.m.value("LOGISTIC", [x], y)

    def product(self, a: ModelTensor, b: ModelTensor) -> ModelTensor:
        """Product of two tensors."""
        return self.m.value("MUL", [a, b], self.tensor(), NONE)

    def sum(self, x: ModelTensor, values: tuple[int, ...] = (7,)) -> ModelTensor:
        """Sum of a tensor and a constant, clamped."""
        data = np.array(values, np.int8).astype(self.dtype)
        b = self.m.constant(next(self.names), data, 0.1, self.zero(0))
        return self.m.value("ADD", [x, b], self.tensor(), {"fused_activation_function": "RELU6"})

    def by_floats(self, x: ModelTensor) -> ModelTensor:
        """Function that is computed in floats."""
        a, b = (self.m.tensor(next(self.names), SHAPE, "float32") for _ in range(2))
        self.m.node("DEQUANTIZE", [x], [a])
        self.m.node(("NEG", "EXP", "TANH")[self.random.integers(3)], [a], [b])
        return self.m.value("QUANTIZE", [b], self.tensor())

    def draw(self, count: int) -> ModelTensor:
        """Last of some drawn functions, each of what is there."""
        for _ in range(count):
            self._draw()
        return self.bytes[-1]

    def _draw(self) -> None:
        x, y = (self.bytes[-1 - int(self.random.integers(min(len(self.bytes), 2)))] for _ in "xy")
        made = (
            lambda: self.logistic(x),
            lambda: self.product(x, y),
            lambda: self.sum(x),
            lambda: self.by_floats(x),
        )
        self.bytes.append(made[self.random.integers(len(made))]())

    def legal(self, path: Path, *outputs: ModelTensor, numerics: str = "") -> Graph:
        """Legal graph of the model."""
        for y in outputs:
            self.m.output(y)
        path.write_bytes(self.m.bytes())
        return read(path, "m", OPS, Reading(numerics=numerics))[1]


def free(graph: Graph) -> Graph:
    """Graph with all tables that there can be."""
    found = tabulate(graph, OPS, lambda *_: 1, lambda *_: 0, lambda _: 0)
    return verify(found, "legal")


def ops_of(graph: Graph) -> list[str]:
    return [node.op for node in graph.nodes]


def silu(drawn: Drawn) -> ModelTensor:
    return drawn.product(drawn.bytes[0], drawn.logistic(drawn.bytes[0]))


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(60))
def test_a_table_has_the_bytes_of_litert(seed: int, tmp_path: Path) -> None:
    drawn, path = Drawn(seed, ("int8", "uint8")[seed % 2]), tmp_path / "m.tflite"
    graph = free(remove_dead_nodes(drawn.legal(path, drawn.draw(5))))
    assert ops_of(graph).count("table") == 1
    x = EVERY.view(drawn.dtype).reshape(SHAPE)
    found = evaluate(graph, OPS, [x])[graph.outputs[0]]
    np.testing.assert_array_equal(found, Reference(path).run([x])[0])


@pytest.mark.parametrize("rule", ["notebook", "tflm"])
def test_a_table_follows_the_rule_of_its_nodes(rule: str, tmp_path: Path) -> None:
    drawn = Drawn(3)
    x, y = EVERY.view(np.int8).reshape(SHAPE), silu(drawn)
    graph = drawn.legal(tmp_path / "m.tflite", y, numerics=rule)
    before, after = (evaluate(each, OPS, [x]) for each in (graph, free(graph)))
    np.testing.assert_array_equal(after[graph.outputs[0]], before[graph.outputs[0]])
    assert ops_of(free(graph)) == ["table"]


def seen(drawn: Drawn) -> Values:
    """Outputs of which one is between the nodes of a function."""
    first = drawn.logistic(drawn.bytes[0])
    return [first, drawn.product(drawn.bytes[0], first)]


def read_twice(drawn: Drawn) -> Values:
    """Outputs of nodes that read the same logistic."""
    first = drawn.logistic(drawn.bytes[0])
    return [drawn.product(drawn.bytes[0], first), drawn.product(first, first)]


def of_two(drawn: Drawn) -> Values:
    """Product of functions of two tensors."""
    other = drawn.m.input("other", SHAPE, "int8", 0.04, 3)
    return [drawn.product(drawn.logistic(drawn.bytes[0]), other)]


def by_channel(drawn: Drawn) -> Values:
    """Logistic of a sum with a constant of each channel."""
    return [drawn.logistic(drawn.sum(drawn.bytes[0], tuple(range(16))))]


def to_another_type(drawn: Drawn) -> Values:
    """Logistic that ends as uint8."""
    y = drawn.m.tensor("y", SHAPE, "uint8", 1 / 256, 0)
    return [drawn.m.value("QUANTIZE", [drawn.logistic(drawn.bytes[0])], y)]


@pytest.mark.parametrize("build", [seen, read_twice, of_two, by_channel, to_another_type])
def test_nodes_stay(build: Callable[[Drawn], Values], tmp_path: Path) -> None:
    drawn = Drawn()
    graph = drawn.legal(tmp_path / "m.tflite", *build(drawn))
    assert free(graph) == graph


def test_a_function_begins_where_others_read(tmp_path: Path) -> None:
    drawn = Drawn()
    first = drawn.sum(drawn.sum(drawn.bytes[0]))
    graph = drawn.legal(tmp_path / "m.tflite", first, drawn.product(first, drawn.logistic(first)))
    assert ops_of(free(graph)) == ["table", "table"]
    assert free(graph).nodes[1].inputs == free(graph).nodes[0].outputs


@pytest.mark.parametrize(
    ("opt", "build", "wanted"),
    [
        ("size", silu, ["table"]),  # in place of another table
        ("size", lambda drawn: drawn.sum(drawn.sum(drawn.bytes[0])), ["add", "add"]),
        ("speed", lambda drawn: drawn.sum(drawn.sum(drawn.bytes[0])), ["table"]),
    ],
)
def test_tables_are_worth_their_flash(
    opt: str, build: Callable[[Drawn], ModelTensor], wanted: list[str], tmp_path: Path
) -> None:
    drawn = Drawn()
    graph = drawn.legal(tmp_path / "m.tflite", build(drawn))
    budget = NOTHING if opt == "size" else UNLIMITED
    figures = DeclaredFigures(OPS, frozenset(), NO_PREFERENCES, budget)
    found = tabulate(graph, OPS, figures.cost, figures.flash, figures.worth)
    assert ops_of(found) == wanted


def test_the_op_of_tables_is_among_those_used(tmp_path: Path) -> None:
    drawn, path = Drawn(), tmp_path / "m.tflite"
    drawn.legal(path, silu(drawn))
    assert "table" in used_ops(*read(path, "m", OPS), OPS)

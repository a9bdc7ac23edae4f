"""Nodes that are a function of one tensor of bytes become a table, where that changes no byte."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Array, Graph, Node
from opsmith.ir.verify import verify
from opsmith.op.index import index
from opsmith.op.view import NodeView
from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Reading, read, used_ops
from opsmith.select.choice import NO_PREFERENCES
from opsmith.select.declared_figures import DeclaredFigures
from opsmith.select.flash_budget import ALLOWANCE, NOTHING, UNLIMITED, FlashBudget
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from opsmith.transform.remove_dead_nodes import remove_dead_nodes
from opsmith.transform.tabulate import functions, tabulate

OPS = shipped_ops()
SHAPE = (1, 16, 16)
EVERY = np.arange(256).astype(np.uint8)
NONE = {"fused_activation_function": "NONE"}
Values = list[ModelTensor]


class Drawn:
    """Model of one tensor of bytes, and of functions of its elements."""

    def __init__(
        self,
        seed: int = 0,
        dtype: str = "int8",
        m: ModelWriter | None = None,
        shape: tuple[int, ...] = SHAPE,
    ) -> None:
        self.m, self.random, self.dtype = m or ModelWriter(), np.random.default_rng(seed), dtype
        self.names, self.shape = (f"{dtype}/{i}" for i in itertools.count()), shape
        self.bytes = [self.m.input(next(self.names), shape, dtype, 0.04, self.zero(-5))]

    def zero(self, of_int8: int) -> int:
        """Zero point of the type for that of int8."""
        return of_int8 + 128 * (self.dtype == "uint8")

    def tensor(self) -> ModelTensor:
        """A new tensor of a drawn scale."""
        scale, zero_point = self.random.uniform(0.01, 0.09), int(self.random.integers(-40, 40))
        zero_point = self.zero(zero_point)
        return self.m.tensor(next(self.names), self.shape, self.dtype, scale, zero_point)

    def floats(self) -> ModelTensor:
        """A new tensor of floats."""
        return self.m.tensor(next(self.names), self.shape, "float32")

    def logistic(self, x: ModelTensor) -> ModelTensor:
        """Logistic of a tensor."""
        y = self.m.tensor(next(self.names), self.shape, self.dtype, 1 / 256, self.zero(-128))
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
        values = self.m.value("DEQUANTIZE", [x], self.floats())
        function = ("NEG", "EXP", "TANH")[self.random.integers(3)]
        y = self.m.value(function, [values], self.floats())
        return self.m.value("QUANTIZE", [y], self.tensor())

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


class Alike:
    """Figures by which each node takes a cycle, and flash costs nothing."""

    def cost(self, graph: Graph, node: Node) -> float:
        return 1

    def flash(self, graph: Graph, node: Node) -> int:
        return 0

    def worth(self, graph: Graph) -> float:
        return 0

    spare = worth


def free(graph: Graph) -> Graph:
    """Graph with all tables that there can be."""
    return verify(tabulate(graph, OPS, Alike()), "legal")


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


def two_zeros(drawn: Drawn) -> Values:
    """Quotient of floats and zeros of both signs, which are equal."""
    x = drawn.m.value("DEQUANTIZE", [drawn.bytes[0]], drawn.floats())
    zeros = drawn.m.constant("zeros", np.array([0.0, -0.0] * 8, np.float32))
    y = drawn.m.value("DIV", [x, zeros], drawn.floats(), NONE)
    return [drawn.m.value("QUANTIZE", [y], drawn.tensor())]


STAY = [seen, read_twice, of_two, by_channel, to_another_type, two_zeros]


@pytest.mark.parametrize("build", STAY)
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


def sums(drawn: Drawn) -> Values:
    """Two sums with constants."""
    return [drawn.sum(drawn.sum(drawn.bytes[0]))]


def constant_first(drawn: Drawn) -> Values:
    """Product of a constant and a tensor."""
    five = drawn.m.constant("five", np.full(SHAPE, 5, np.int8), 0.1, 0)
    return [drawn.product(five, drawn.bytes[0])]


@pytest.mark.parametrize(("budget", "build", "wanted"), [
    (NOTHING, lambda drawn: [silu(drawn)], ["table"]),  # in place of another table
    (NOTHING, sums, ["add", "add"]),
    (UNLIMITED, sums, ["table"]),
    (UNLIMITED, constant_first, ["table"]),
    (FlashBudget(ALLOWANCE + 100), sums, ["add", "add"]),
    (FlashBudget(ALLOWANCE + 300), sums, ["table"]),
    (FlashBudget(ALLOWANCE, weighs=True, room=ALLOWANCE + 100), sums, ["add", "add"]),
    (FlashBudget(ALLOWANCE, weighs=True, room=1 << 20), sums, ["table"]),
])  # fmt: skip
def test_tables_are_worth_their_flash(
    budget: FlashBudget,
    build: Callable[[Drawn], Values],
    wanted: list[str],
    tmp_path: Path,
) -> None:
    drawn = Drawn()
    graph = drawn.legal(tmp_path / "m.tflite", *build(drawn))
    figures = DeclaredFigures(OPS, frozenset(), NO_PREFERENCES, budget)
    assert ops_of(tabulate(graph, OPS, figures)) == wanted


def test_floats_that_end_within_a_vector_stay(tmp_path: Path) -> None:
    drawn = Drawn(shape=(1, 5, 3))
    graph = drawn.legal(tmp_path / "m.tflite", drawn.sum(drawn.by_floats(drawn.bytes[0])))
    assert [each.nodes for each in functions(graph, OPS)] == [(3,)]  # the sum


def test_functions_see_as_many_axes_as_their_nodes(tmp_path: Path) -> None:
    """Ops of users may tell operands by their axes."""
    axes: list[int] = []

    def looked(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        axes.extend((node["a"].data.ndim, *(each.ndim for each in inputs)))
        return [inputs[1]]

    drawn, op = Drawn(), OPS["mul"]
    graph = drawn.legal(tmp_path / "m.tflite", *constant_first(drawn))
    variants = tuple(replace(each, evaluate=looked) for each in op.variants)
    found = OPS.by_name["mul"].changed(replace(op, variants=variants))
    tabulate(graph, index([found, OPS.by_name["table"]], part=True), Alike())
    assert axes == [3, 3, 3]


def test_the_op_of_tables_is_among_those_used(tmp_path: Path) -> None:
    """Nodes may become neighbours only by later rewrites."""
    drawn, path = Drawn(), tmp_path / "m.tflite"
    x, shape = drawn.bytes[0], np.array(SHAPE, np.int32)
    between = drawn.m.tensor("between", SHAPE, "int8", 1 / 256, -128)
    drawn.m.node("RESHAPE", [drawn.logistic(x), drawn.m.constant("shape", shape)], [between])
    drawn.legal(path, drawn.product(x, between))
    assert "table" in used_ops(*read(path, "m", OPS), OPS)

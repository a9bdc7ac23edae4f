"""Random models whose IF and WHILE nest, with variables, and an interpreter of them.

The interpreter runs subgraphs as TensorFlow Lite Micro does: all values that a body returns arrive
at once. LiteRT differs where a body returns one tensor twice or passes an input on in the place of
another; `plain` networks do neither.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from toolchain.ir import Array
from toolchain.testing.tflite_emitter import Node, Tensor
from toolchain.testing.tflite_writer import ModelWriter, SubgraphWriter

SHAPE = (1, 4)
DEEPEST = 2
START = 1  # the subgraph that gives variables their first values
BINARY: dict[str, Callable[..., Any]] = {
    "ADD": operator.add,
    "SUB": operator.sub,
    "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum,
    "GREATER": operator.gt,
    "LESS": operator.lt,
}


class ControlNetwork:
    """A random model, of int32, whose graphs have names of their own for everything."""

    def __init__(self, seed: int, *, plain: bool) -> None:
        self.model = ModelWriter()
        self._random, self._plain, self._count = random.Random(seed), plain, 0
        self._variables = [f"v{i}" for i in range(self._random.randint(0, 2))]
        start = self.model.subgraph("start")
        assert start.number == START
        for name in self._variables:
            start.node("ASSIGN_VARIABLE", [self._handle(start, name), self._constant(start)], [])
        self.model.node("CALL_ONCE", [], [], {"init_subgraph_index": START})
        given = self._inputs(self.model, self._random.randint(1, 3))
        known = self._body(self.model, given, self._random.randint(3, 8), DEEPEST)
        self.model.output(*dict.fromkeys((known[-1], *self._random.choices(known, k=2))))

    def _body(
        self, m: SubgraphWriter, known: Sequence[Tensor], count: int, depth: int
    ) -> list[Tensor]:
        """Add so many operators; all vectors that are known after them."""
        found = list(known)
        for _ in range(count):
            kinds = [self._operator, self._access, self._branch, self._loop]
            weights = (55, 15 if self._variables else 0, 16 if depth else 0, 14 if depth else 0)
            (add,) = self._random.choices(kinds, weights)
            found += add(m, found, depth)
        return found

    def _operator(self, m: SubgraphWriter, known: Sequence[Tensor], _: int) -> list[Tensor]:
        x, y = self._random.choice(known), self._vector(m)
        op = self._random.choice(("ADD", "SUB", "MAXIMUM", "MINIMUM", "RESHAPE"))
        if op == "RESHAPE":
            flat = m.tensor(self._name(), (4,), "int32")
            for a, b in ((x, flat), (flat, y)):
                m.node("RESHAPE", [a, self._numbers(m, b.shape)], [b], {"new_shape": b.shape})
        else:
            other = self._random.choice((*known, self._constant(m)))
            m.node(op, [x, other], [y], {})
        return [y]

    def _access(self, m: SubgraphWriter, known: Sequence[Tensor], _: int) -> list[Tensor]:
        variable = self._handle(m, self._random.choice(self._variables))
        if self._random.random() < 0.5:
            m.node("ASSIGN_VARIABLE", [variable, self._random.choice(known)], [])
            return []
        y = self._vector(m)
        m.node("READ_VARIABLE", [variable], [y])
        return [y]

    def _branch(self, m: SubgraphWriter, known: Sequence[Tensor], depth: int) -> list[Tensor]:
        large, condition = m.tensor(self._name(), SHAPE, "bool"), m.tensor(self._name(), (), "bool")
        m.node("GREATER", [self._random.choice(known), self._constant(m)], [large])
        m.node("REDUCE_ANY", [large, self._numbers(m, (0, 1))], [condition], {"keep_dims": False})
        given = self._random.choices(known, k=self._random.randint(1, 3))
        made = [self._vector(m) for _ in range(self._random.randint(1, 3))]
        bodies = []
        for _ in range(2):
            body = self.model.subgraph(self._name())
            bodies.append(body.number)
            inner = self._inputs(body, len(given))
            inner = self._body(body, inner, self._random.randint(0, 4), depth - 1)
            body.output(*self._returned(body, inner, len(made), []))
        options = dict(zip(("then_subgraph_index", "else_subgraph_index"), bodies, strict=True))
        m.node("IF", [condition, *given], made, options)
        return made

    def _loop(self, m: SubgraphWriter, known: Sequence[Tensor], depth: int) -> list[Tensor]:
        given = self._random.choices(known, k=self._random.randint(1, 3))
        made = [self._vector(m) for _ in given]
        test, body = (self.model.subgraph(self._name()) for _ in range(2))
        counts = [each.input(self._name(), (), "int32") for each in (test, body)]
        self._inputs(test, len(given))
        inputs = self._inputs(body, len(given))
        more, next_count = test.tensor(self._name(), (), "bool"), body.tensor("next", (), "int32")
        test.node("LESS", [counts[0], self._number(test, self._random.randint(0, 4))], [more])
        test.output(more)
        inner = self._body(body, inputs, self._random.randint(0, 4), depth - 1)
        body.node("ADD", [counts[1], self._number(body, 1)], [next_count], {})
        body.output(next_count, *self._returned(body, inner, len(given), inputs))
        options = {"cond_subgraph_index": test.number, "body_subgraph_index": body.number}
        first, last = self._number(m, self._random.randint(0, 2)), m.tensor("last", (), "int32")
        m.node("WHILE", [first, *given], [last, *made], options)
        return made

    def _returned(
        self, m: SubgraphWriter, known: Sequence[Tensor], count: int, inputs: Sequence[Tensor]
    ) -> list[Tensor]:
        """What a body returns; `inputs` are those of a loop, in their places."""
        if not self._plain:
            return self._random.choices(known, k=count)
        found: list[Tensor] = []
        for place in range(count):
            free = [each for each in known if each not in (*inputs, *found)]
            free += inputs[place : place + 1]
            found += [self._random.choice(free)] if free else self._operator(m, known, 0)
        return found

    def _inputs(self, m: SubgraphWriter, count: int) -> list[Tensor]:
        return [m.input(self._name(), SHAPE, "int32") for _ in range(count)]

    def _vector(self, m: SubgraphWriter) -> Tensor:
        return m.tensor(self._name(), SHAPE, "int32")

    def _constant(self, m: SubgraphWriter) -> Tensor:
        return self._numbers(m, [[self._random.randint(-20, 20) for _ in range(4)]])

    def _number(self, m: SubgraphWriter, value: int) -> Tensor:
        return self._numbers(m, value)

    def _numbers(self, m: SubgraphWriter, values: object) -> Tensor:
        return m.constant(self._name(), np.array(values, np.int32))

    def _handle(self, m: SubgraphWriter, variable: str) -> Tensor:
        made = m.tensor(self._name(), (), "resource")
        m.node("VAR_HANDLE", [], [made], {"container": "", "shared_name": variable})
        return made

    def _name(self) -> str:
        self._count += 1
        return f"t{self._count}"


class Interpreter:
    """Runs a network, and keeps its variables."""

    def __init__(self, network: ControlNetwork) -> None:
        self._subgraphs = [each.content for each in network.model.subgraphs]
        self._variables: dict[Any, Array] = {}
        self._started = False

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs for these inputs."""
        return self._run(0, inputs)

    def _run(self, number: int, inputs: Sequence[Any]) -> list[Any]:
        graph = self._subgraphs[number]
        values: dict[int, Any] = dict(zip(graph.inputs, inputs, strict=True))
        for each in graph.tensors:
            if each.data is not None:
                values[each.index] = np.frombuffer(each.data, each.dtype).reshape(each.shape)
        for node in graph.nodes:
            made = self._node(node, [values[index] for index in node.inputs])
            values.update(zip(node.outputs, made, strict=True))
        return [values[index] for index in graph.outputs]

    def _node(self, node: Node, given: list[Any]) -> list[Any]:
        options: Any = node.options
        match node.op:
            case "IF":
                name = "then_subgraph_index" if given[0] else "else_subgraph_index"
                return self._run(options[name], given[1:])
            case "WHILE":
                while self._run(options["cond_subgraph_index"], given)[0]:
                    given = self._run(options["body_subgraph_index"], given)
                return given
            case "CALL_ONCE":
                made = [] if self._started else self._run(options["init_subgraph_index"], [])
                self._started = True
                return made
            case "VAR_HANDLE":
                return [options["shared_name"]]
            case "READ_VARIABLE":
                return [self._variables[given[0]]]
            case "ASSIGN_VARIABLE":
                self._variables[given[0]] = given[1]
                return []
            case "REDUCE_ANY":
                return [given[0].any()]
            case "RESHAPE":
                return [given[0].reshape(given[1])]
        return [BINARY[node.op](*given)]

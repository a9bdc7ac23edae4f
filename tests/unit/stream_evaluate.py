"""Runs a planned graph that streams, node by node in numpy, in the bytes of its arenas.

It repeats the work of generated C++ from the graph alone: nodes read and write only the memory that
the plan gives them, so that a row that is overwritten too early gives wrong bytes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from opsmith.ir import Array, Graph, Held, Node, Timing
from opsmith.op.index import OpIndex
from opsmith.op.node import view

POISON = 0x5A  # byte in memory that was not written


class StreamEvaluator:
    """State of a streamed model: its arenas and the number of pushed rows."""

    def __init__(self, graph: Graph, ops: OpIndex) -> None:
        assert graph.plan is not None and graph.stream is not None
        self._graph, self._plan, self._stream = graph, graph.plan, graph.stream
        self._arenas = {
            memory: np.full(size, POISON, np.uint8) for memory, size in graph.plan.arenas.items()
        }
        typed = {node.name: ops.of(graph, node) for node in graph.nodes}
        self._views = {n.name: (typed[n.name], view(graph, n, typed[n.name])) for n in graph.nodes}
        self._pass = 0
        self._states: dict[str, dict[str, Array]] = {}
        self.runs: Counter[str] = Counter()  # node -> number of runs

    def invoke(self, inputs: Sequence[Array]) -> list[Array]:
        """Outputs of a model that takes rows from tensors of its arena."""
        stream = self._stream
        for name, value in zip(self._graph.inputs, inputs, strict=True):
            self._tensor(name)[...] = value
        self._whole(self._graph.nodes[: stream.first])
        self._begin()
        self._pass = 0
        while self._pass < stream.passes:
            self._advance(None)
        return self._rest()

    def push(self, row: Array) -> list[Array] | None:
        """Push a row; returns the outputs, if there are any."""
        stream = self._stream
        if self._pass == 0:
            self._begin()
        self._advance(row)
        if stream.frames:
            self._pass = min(self._pass, stream.passes)
            return self._rest() if self._pass == stream.passes else None
        if self._pass < stream.timing[stream.row].rows:
            return None
        while self._pass < stream.passes:
            self._advance(None)
        self._pass = 0
        return self._rest()

    def infer(self, image: Array) -> list[Array]:
        """Outputs for a whole image, or for a window of frames after earlier ones."""
        outputs = None
        for row in rows_of(self._graph, image):
            outputs = self.push(row)
        assert outputs is not None, "the last row gave no outputs"
        return outputs

    def _begin(self) -> None:
        for name in self._stream.eager:
            self._states.pop(name, None)
        for held in self._stream.held:
            if held.before:
                self._fill(held, held.depth - (held.last >= 0))

    def _advance(self, given: Array | None) -> None:
        stream = self._stream
        for row in stream.taken:
            self._arrive(row, lambda row=row: self._taken(row))
        if not stream.taken:
            self._arrive(stream.row, lambda: given)
        for index, node in enumerate(self._graph.nodes[stream.first : stream.end], stream.first):
            eager = stream.eager.get(node.name)
            if eager is not None and self._in_pass(eager) in range(eager.rows):
                self._tensor(node.outputs[0])[...] = self._run(node)[0]
            make = (lambda: None) if eager is not None else (lambda node=node: self._run(node)[0])
            self._arrive(node.outputs[0], make)
            for held in stream.held:
                if held.last == index and self._row(held.tensor) is not None:
                    self._drop(held)
        self._pass += 1

    def _arrive(self, name: str, make: object) -> None:
        """Make and keep the row of a tensor that is due, if one is."""
        row = self._row(name)
        if row is None:
            return
        stream = self._stream
        kept = [held for held in stream.held if held.tensor == name]
        for held in kept:
            if held.last < 0:
                self._drop(held)
        if row < stream.timing[name].rows or stream.frames:
            assert callable(make)
            made = make()
            if made is not None:
                self._tensor(name)[...] = made
            if name in stream.gathered:
                self._tensor(stream.gathered[name])[:, row] = self._tensor(name)[:, 0]
        else:
            for held in kept:
                if held.after:
                    self._tensor(name)[...] = held.value
        for held in kept:
            if held.copied:
                start = (held.depth - 1) * held.row_bytes
                self._bytes(held.buffer)[start:] = self._bytes(name)

    def _taken(self, row: str) -> Array:
        """Row of a whole tensor that is due."""
        number, shape = self._row(row), self._graph.tensors[row].shape
        whole = self._tensor(self._stream.taken[row])
        return whole.reshape(-1, *shape)[number]

    def _whole(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            for name, value in zip(node.outputs, self._run(node), strict=True):
                self._tensor(name)[...] = value

    def _rest(self) -> list[Array]:
        self._whole(self._graph.nodes[self._stream.end :])
        return [self._value(name).copy() for name in self._graph.outputs]

    def _run(self, node: Node) -> Sequence[Array]:
        op, seen = self._views[node.name]
        assert op.evaluate is not None
        self.runs[node.name] += 1
        given = [self._value(name) for name in node.inputs if name is not None]
        if not op.states:
            return list(op.evaluate(seen, given))
        zeros = {s.name: np.zeros(s.elements(seen), op.state_type(s).numpy) for s in op.states}
        return list(op.evaluate(seen, given, self._states.setdefault(node.name, zeros)))

    def _row(self, name: str) -> int | None:
        return self._in_pass(self._stream.timing[name])

    def _in_pass(self, at: Timing) -> int | None:
        row, rest = divmod(self._pass - at.first, at.every)
        return row if row >= 0 and rest == 0 else None

    def _drop(self, held: Held) -> None:
        kept, size = self._all_rows(held), held.row_bytes
        kept[: (held.depth - 1) * size] = kept[size:].copy()

    def _fill(self, held: Held, rows: int) -> None:
        assert held.value is not None
        self._all_rows(held)[: rows * held.row_bytes] = held.value & 0xFF

    def _all_rows(self, held: Held) -> Array:
        at = self._plan.placements[held.buffer]
        return self._arenas[at.memory][at.offset :][: held.depth * held.row_bytes]

    def _value(self, name: str) -> Array:
        tensor = self._graph.tensors[name]
        return self._tensor(name) if tensor.constant is None else tensor.data

    def _tensor(self, name: str) -> Array:
        tensor = self._graph.tensors[name]
        return self._bytes(name).view(tensor.dtype.numpy).reshape(tensor.shape)

    def _bytes(self, name: str) -> Array:
        at = self._plan.placements[name]
        return self._arenas[at.memory][at.offset : at.offset + at.bytes]


def rows_of(graph: Graph, image: Array) -> Iterator[Array]:
    """Rows of a whole input, as they are pushed."""
    assert graph.stream is not None
    row = graph.tensors[graph.stream.row]
    return iter(image.reshape(-1, *row.shape))

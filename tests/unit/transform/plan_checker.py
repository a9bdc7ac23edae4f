"""Simulates a memory plan byte by byte, without knowing how it was made.

A checker knows, for every node, in which order its kernel reads and writes: a trace. It keeps an
arena whose bytes remember which byte of which tensor was last written to them, plays all traces in
order, and reports every read of a byte other than the one that the tensor's writer wrote. Guards
after and before every buffer are implied: a write outside the node's own outputs and scratch is
reported, too.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Graph, Node
from opsmith.op.alias import Alias


class Access(NamedTuple):
    """Bytes [start, stop) of a tensor or scratch buffer that are read or written at one moment."""

    buffer: str
    start: int
    stop: int
    writes: bool = False


Trace = Callable[[Graph, Node], Iterable[Access]]
Views = Callable[[Graph, Node], Iterable[Alias]]
_SHOWN = 3


def plan_problems(graph: Graph, trace: Trace, views: Views) -> Iterator[str]:
    """Sentences about errors when a planned graph runs; none for a correct plan.

    `views` says which tensors share bytes with others: a node whose tensors all lie so needs no
    kernel, and runs none.
    """
    machine = _Machine(graph)
    given = [*graph.inputs, *(t.id for t in graph.tensors.values() if t.variable)]
    for name in given:
        yield from machine.write(Access(name, 0, graph.tensors[name].bytes, True), "the caller")
    for name in given:
        yield from machine.read(Access(name, 0, graph.tensors[name].bytes), "the first node")
    for node in graph.nodes:
        found = tuple(views(graph, node))
        if found and all(map(machine.in_place, found)):
            machine.rename(found, node)
            for name in node.outputs:
                yield from machine.read(Access(name, 0, graph.tensors[name].bytes), node.name)
            continue
        own = {
            *node.outputs,
            *(name for name in machine.places if name.startswith(f"{node.name}.")),
        }
        for access in trace(graph, node):
            if not access.writes:
                yield from machine.read(access, node.name)
            elif access.buffer in own:
                yield from machine.write(access, node.name)
            else:
                yield f"{node.name} writes {access.buffer}, which is not its own"
    for name in (*graph.outputs, *(t.id for t in graph.tensors.values() if t.variable)):
        if graph.tensors[name].constant is None:
            yield from machine.read(Access(name, 0, graph.tensors[name].bytes), "the caller")


class _Machine:
    """Arenas whose bytes are numbers that identify every byte ever written."""

    def __init__(self, graph: Graph) -> None:
        assert graph.plan is not None
        self.places = graph.plan.placements
        self._arenas = {name: np.zeros(size, np.int64) for name, size in graph.plan.arenas.items()}
        self._content: dict[str, NDArray[np.int64]] = {}
        start = 1
        for name, place in self.places.items():
            self._content[name] = np.arange(start, start + place.bytes)
            start += place.bytes

    def rename(self, found: tuple[Alias, ...], node: Node) -> None:
        """Give the node's output the bytes of the tensors in which it lies or that lie in it."""
        for inner, outer, offset in ((a.inner, a.outer, a.offset) for a in found):
            here = slice(offset, offset + len(self._content[inner]))
            if outer in node.outputs:
                self._content[outer][here] = self._content[inner]
            else:
                self._content[inner] = self._content[outer][here].copy()

    def in_place(self, alias: Alias) -> bool:
        """True if the inner tensor lies at its offset in the outer one."""
        if alias.inner not in self.places or alias.outer not in self.places:
            return False
        inner, outer = self.places[alias.inner], self.places[alias.outer]
        return inner.memory == outer.memory and inner.offset == outer.offset + alias.offset

    def write(self, access: Access, who: str) -> Iterator[str]:
        """Write bytes of a buffer at its place in the plan; yields a sentence if that is wrong."""
        held = self._bytes(access)
        if held is None:
            yield f"{who} writes {access}, which is outside of its buffer"
        else:
            held[:] = self._content[access.buffer][access.start : access.stop]

    def read(self, access: Access, who: str) -> Iterator[str]:
        """Yield a sentence when bytes of a buffer differ from those written to it."""
        held = self._bytes(access)
        if held is None:
            yield f"{who} reads {access}, which is outside of its buffer"
            return
        wrong = np.nonzero(held != self._content[access.buffer][access.start : access.stop])[0]
        if len(wrong):
            bytes_ = ", ".join(str(access.start + i) for i in wrong[:_SHOWN])
            yield f"{who} reads {access.buffer}, whose bytes {bytes_} were overwritten"

    def _bytes(self, access: Access) -> NDArray[np.int64] | None:
        at = self.places[access.buffer]
        inside = 0 <= access.start <= access.stop <= at.bytes
        arena = self._arenas[at.memory]
        low, high = at.offset + access.start, at.offset + access.stop
        return arena[low:high] if inside and high <= len(arena) else None

"""Blocks to place: tensors and scratch buffers; those inside one another form one block."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from opsmith.ir import Graph, Held, Stream
from opsmith.ir.flow import Branch, Loop, branches_and_loops, conditions, parts, spans
from opsmith.ir.flow import blocks as blocks_of
from opsmith.op.alias import Alias, aliases
from opsmith.op.index import OpIndex

UNIT = 16  # bytes; every address is a multiple


@dataclass(frozen=True)
class BlockPart:
    """A tensor or scratch buffer in its block, and the nodes between which it lives."""

    name: str
    offset: int  # bytes from the start of the block
    bytes: int
    first: int
    last: int


@dataclass(frozen=True)
class Block:
    """Parts at fixed distances from each other; parts that share bytes have equal content there."""

    parts: tuple[BlockPart, ...]

    @property
    def bytes(self) -> int:
        """Bytes from the start of the block to the end of its last part."""
        return max(part.offset + part.bytes for part in self.parts)

    @property
    def first(self) -> int:
        """First node at which a part of the block lives."""
        return min(part.first for part in self.parts)

    @property
    def last(self) -> int:
        """Last node at which a part of the block lives."""
        return max(part.last for part in self.parts)


def blocks(graph: Graph, ops: OpIndex) -> tuple[Block, ...]:
    """Blocks of all tensors but constants and of all scratch buffers, in the order of the graph."""
    first, last = lifetimes(graph)
    offset, root = _offsets(graph, ops)
    found: dict[str, list[BlockPart]] = {}
    if graph.stream is not None:
        for held in graph.stream.held:
            begins = graph.stream.first if graph.stream.taken else -1
            part = BlockPart(held.buffer, 0, _kept(held), begins, _stays(graph, graph.stream))
            found.setdefault(root[held.buffer], []).append(part)
    for tensor in graph.tensors.values():
        if tensor.constant is None:
            name = tensor.id
            part = BlockPart(name, offset[name], tensor.bytes, first[name], last[name])
            found.setdefault(root[name], []).append(part)
    return (*(Block(tuple(parts)) for parts in found.values()), *_scratch(graph, ops))


def scratch_name(node: str, buffer: str) -> str:
    """Return the plan's name for a node's scratch buffer."""
    return f"{node}.{buffer}"


def lifetimes(graph: Graph) -> tuple[dict[str, int], dict[str, int]]:
    """First node (the writer) and last node (the last reader) of the life of each tensor.

    Inputs live from before the first node (-1), outputs until after the last; variables do both.
    Whole tensors that are gathered row by row live until their last reader. A row that is kept
    lives until the node after which the oldest one goes, and a tensor from which rows are taken
    until the last node that streams. A condition lives until it is tested, and a tensor from before
    a loop that the loop reads until the loop's end.
    """
    end = len(graph.nodes)
    first, last = dict(graph.producers()), dict[str, int]()
    for name, readers in graph.consumers().items():
        last[name] = max(readers, default=first.get(name, -1))
    for index, node in enumerate(graph.nodes):
        for name in node.outputs:
            if graph.tensors[name].joined:
                first.setdefault(name, index)
                last[name] = max(last[name], index)
    for name in graph.inputs:
        first[name] = -1
    for name in graph.outputs:
        last[name] = end
    for tensor in graph.tensors.values():
        if tensor.variable:
            first[tensor.id], last[tensor.id] = -1, end
    _stay(graph, first, last)
    if graph.stream is not None:
        begins = graph.stream.first if graph.stream.taken else -1
        for row, name in graph.stream.taken.items():
            first[row], last[row] = begins, max(last[row], begins)
            last[name] = max(last[name], graph.stream.end - 1)
        for row, name in graph.stream.gathered.items():
            first[name], last[row] = begins, max(last[row], first[row])
        for held in graph.stream.held:
            for view in held.views:
                first[view] = min(graph.consumers()[view], default=end)
            last[held.tensor] = max(last[held.tensor], held.last)
    return first, last


def _stay(graph: Graph, first: Mapping[str, int], last: dict[str, int]) -> None:
    """Prolong the lives of conditions, and of tensors that every pass of a loop reads."""
    for item, begin, body, end in _spans(graph):
        looked_at = body - 1 if isinstance(item, Loop) else begin - 1
        last[item.condition] = max(last[item.condition], looked_at)
        if isinstance(item, Branch):
            continue
        asked = {*conditions((item,))}  # also by a branch at the loop's start
        for name, until in last.items():
            inside = begin <= until <= end or (name in asked and until < begin)
            if inside and first.get(name, end) < begin:
                last[name] = end


def kept_by_loops(graph: Graph) -> set[str]:
    """Tensors that the last node of a loop must not overwrite, since another pass may read them."""
    first, last = lifetimes(graph)
    found: set[str] = set()
    for item, begin, _, end in _spans(graph):
        if isinstance(item, Loop):
            found |= {n for n, until in last.items() if until == end and first.get(n, end) < begin}
    return found


def _spans(graph: Graph) -> Iterator[tuple[Branch | Loop, int, int, int]]:
    """Branches and loops, inner ones first, each with the starts of its parts and its last node."""
    where = spans(graph.flow, [node.block for node in graph.nodes])
    for item in branches_and_loops(graph.flow):
        first, second = (list(blocks_of(part)) for part in parts(item))
        yield item, where[first[0]].start, where[first[-1]].stop, where[second[-1]].stop - 1


def _kept(held: Held) -> int:
    """Return the bytes of the rows that live during every node: all rows but the last."""
    arrives = not held.copied and held.last >= 0
    return (held.depth - arrives) * held.row_bytes


def _stays(graph: Graph, stream: Stream) -> int:
    """Last node at which rows are kept; after all nodes for frames, which never end."""
    return len(graph.nodes) if stream.frames else stream.end - 1


def _scratch(graph: Graph, ops: OpIndex) -> Iterator[Block]:
    for index, node in enumerate(graph.nodes):
        assert node.kernel is not None
        kernel = ops.of(graph, node).kernels[node.kernel.index]
        for name, dtype in kernel.scratch.items():
            size = node.kernel.plan.scratch[name] * dtype.size
            yield Block((BlockPart(scratch_name(node.name, name), 0, size, index, index),))


def _offsets(graph: Graph, ops: OpIndex) -> tuple[Mapping[str, int], Mapping[str, str]]:
    """Offset of each tensor in its block, and the tensor that names the block, both by tensor."""
    nests = _Nests(graph)
    for alias in _held_rows(graph):
        nests.add((alias,))
    for node in graph.nodes:
        nests.add(aliases(graph, node, ops.of(graph, node)))
    return nests.offset, nests.root


def _held_rows(graph: Graph) -> Iterator[Alias]:
    """Yield aliases of the rows that nodes write and read with the buffers that hold the rows."""
    for held in graph.stream.held if graph.stream is not None else ():
        for name, row in held.views.items():
            yield Alias(name, held.buffer, row * held.row_bytes)
        if not held.copied:
            yield Alias(held.tensor, held.buffer, (held.depth - 1) * held.row_bytes)


class _Nests:
    """Union of tensors that lie inside one another.

    A tensor moves into another together with all tensors inside it. A tensor that is tied to a
    third one stays: two outer tensors would share bytes of different content.
    """

    def __init__(self, graph: Graph) -> None:
        self._bytes = {t.id: t.bytes for t in graph.tensors.values() if t.constant is None}
        if graph.stream is not None:
            self._bytes |= {held.buffer: _kept(held) for held in graph.stream.held}
        self.offset = dict.fromkeys(self._bytes, 0)
        self.root = {name: name for name in self._bytes}
        self._members = {name: [name] for name in self._bytes}

    def add(self, found: tuple[Alias, ...]) -> None:
        """Apply the aliases of a node, all of them or none."""
        roots = [self.root[alias.inner] for alias in found]
        if len(set(roots)) == len(roots) and all(map(self._possible, found)):
            for alias in found:
                self._merge(alias)

    def _possible(self, alias: Alias) -> bool:
        inner, outer = self.root[alias.inner], self.root[alias.outer]
        low = self.offset[alias.inner]
        high = low + self._bytes[alias.inner]
        inside = all(
            low <= self.offset[name] and self.offset[name] + self._bytes[name] <= high
            for name in self._members[inner]
        )
        return inner != outer and inside and alias.offset % UNIT == 0

    def _merge(self, alias: Alias) -> None:
        inner, outer = self.root[alias.inner], self.root[alias.outer]
        shift = self.offset[alias.outer] + alias.offset - self.offset[alias.inner]
        for name in self._members.pop(inner):
            self.offset[name] += shift
            self.root[name] = outer
            self._members[outer].append(name)

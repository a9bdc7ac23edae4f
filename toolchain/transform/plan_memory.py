"""Give every tensor and scratch buffer an address: greedy by size, views in place.

Each buffer lives from the node that writes it to the last node that reads it; views (trait `view`)
share the
buffer of their input. Buffers are placed largest first, each at the lowest address that is free
during its whole
life (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020).
Postcondition: two buffers that live at once never share a byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from toolchain.ir import Graph, Placement, Plan
from toolchain.op.describe import Op
from toolchain.op.discover import OpIndex
from toolchain.op.node import view

ALIGNMENT = 16


@dataclass(frozen=True)
class Buffer:
    """Bytes that live during an interval of nodes. Several tensors may share one."""

    names: tuple[str, ...]
    bytes: int
    first: int
    last: int


def plan_memory(graph: Graph, ops: OpIndex, memory: str) -> Graph:
    """The graph with a plan that puts everything into one arena of this memory."""
    buffers = list(_buffers(graph, ops))
    offsets = _place(buffers)
    placements = {
        name: Placement(memory, offset, buffer.bytes, buffer.first, buffer.last)
        for buffer, offset in zip(buffers, offsets, strict=True)
        for name in buffer.names
    }
    size = max((p.offset + _aligned(p.bytes) for p in placements.values()), default=0)
    plan = Plan(placements, {memory: size}, ALIGNMENT, _lower_bound(buffers, len(graph.nodes)))
    return replace(graph, plan=plan)


def scratch_name(node: str, buffer: str) -> str:
    """What the plan calls a node's scratch buffer."""
    return f"{node}.{buffer}"


def _buffers(graph: Graph, ops: OpIndex) -> Iterator[Buffer]:
    root = _view_roots(graph, ops)
    first, last = _lifetimes(graph)
    groups: dict[str, list[str]] = {}
    for tensor in graph.tensors.values():
        if tensor.constant is None:
            groups.setdefault(root.get(tensor.id, tensor.id), []).append(tensor.id)
    for names in groups.values():
        size = max(graph.tensors[name].bytes for name in names)
        yield Buffer(tuple(names), size, min(first[n] for n in names), max(last[n] for n in names))
    for index, node in enumerate(graph.nodes):
        yield from _scratch(graph, index, ops[node.op])


def _scratch(graph: Graph, index: int, op: Op) -> Iterator[Buffer]:
    node = graph.nodes[index]
    assert node.kernel is not None
    for buffer in op.kernels[node.kernel.row].scratch:
        size = buffer.elements(view(graph, node, op)) * buffer.type.size
        yield Buffer((scratch_name(node.name, buffer.name),), size, index, index)


def _view_roots(graph: Graph, ops: OpIndex) -> Mapping[str, str]:
    """Tensor -> the tensor whose buffer it shares: the output of a view is its first input."""
    root: dict[str, str] = {}
    for node in graph.nodes:
        source = node.inputs[0] if node.inputs else None
        if "view" in ops[node.op].traits and source and graph.tensors[source].constant is None:
            root[node.outputs[0]] = root.get(source, source)
    return root


def _lifetimes(graph: Graph) -> tuple[dict[str, int], dict[str, int]]:
    end = len(graph.nodes)
    first, last = dict(graph.producers()), dict[str, int]()
    for name, readers in graph.consumers().items():
        last[name] = max(readers, default=first.get(name, -1))
    for name in graph.inputs:
        first[name] = -1
    for name in graph.outputs:
        last[name] = end
    for tensor in graph.tensors.values():
        if tensor.variable:
            first[tensor.id], last[tensor.id] = -1, end
    return first, last


def _place(buffers: Sequence[Buffer]) -> list[int]:
    """The offset of each buffer."""
    order = sorted(range(len(buffers)), key=lambda i: (-buffers[i].bytes, buffers[i].first, i))
    offsets = [0] * len(buffers)
    placed: list[int] = []
    for index in order:
        buffer = buffers[index]
        taken = sorted(
            (offsets[other], offsets[other] + _aligned(buffers[other].bytes))
            for other in placed
            if buffers[other].first <= buffer.last and buffer.first <= buffers[other].last
        )
        offset = 0
        for start, stop in taken:
            if offset + _aligned(buffer.bytes) <= start:
                break
            offset = max(offset, stop)
        offsets[index] = offset
        placed.append(index)
    return offsets


def _lower_bound(buffers: Sequence[Buffer], nodes: int) -> int:
    """The most bytes that live at once: no plan with these lifetimes needs fewer."""
    change = [0] * (nodes + 3)
    for buffer in buffers:
        change[buffer.first + 1] += _aligned(buffer.bytes)
        change[buffer.last + 2] -= _aligned(buffer.bytes)
    most = total = 0
    for step in change:
        total += step
        most = max(most, total)
    return most


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT

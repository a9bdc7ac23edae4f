"""Distances between an output and inputs that are read for the last time as it is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.op.describe import Op
from opsmith.op.fields import members
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel
from opsmith.op.node import labelled_inputs, view
from opsmith.op.overlap import Distance
from opsmith.schedule.memory.blocks import kept_by_loops, lifetimes
from opsmith.schedule.streaming.schedule import rows_behind

Distances = Mapping[tuple[str, str], Distance]  # (input, output) of one node -> distance


@dataclass(frozen=True)
class RowDistance(Distance):
    """Distance of a tensor gathered by rows from one read by rows, while all nodes between run."""


def overlaps(graph: Graph, ops: OpIndex) -> Distances:
    """Return how close the output of each node may lie to each of its inputs.

    Where several inputs could be overlapped, all walks are forward: a node has one direction.
    """
    found: dict[tuple[str, str], Distance] = {}
    kept = _kept_rows(graph) | kept_by_loops(graph)
    for node in graph.nodes:
        op = ops.of(graph, node)
        assert node.kernel is not None
        kernel, plan = op.kernels[node.kernel.index], node.kernel.plan
        if len(node.outputs) != 1:
            continue
        given = op.overlap_of(view(graph, node, op), plan, kernel)
        if any(distance.backward is not None for distance in given.values()):
            _must_reverse(op, kernel)
        read = [(label, name) for label, name in labelled_inputs(op, node) if name is not None]
        several = len({name for label, name in read if label in given}) > 1
        asked: dict[str, list[Distance]] = {}
        for label, name in read:
            asked.setdefault(name, []).append(given.get(label, Distance()))
        for name, each in asked.items():
            if name in kept:
                continue
            x, y = graph.tensors[name].bytes, graph.tensors[node.outputs[0]].bytes
            forward = _largest([d.forward for d in each], -x, y)
            backward = None if several else _largest([d.backward for d in each], -y, x)
            in_place = all(d.in_place for d in each)
            found[name, node.outputs[0]] = Distance(forward, backward, in_place)
    return found | dict(_of_rows(graph))


def _of_rows(graph: Graph) -> Iterator[tuple[tuple[str, str], Distance]]:
    """Distances of whole tensors gathered by rows from those whose rows have been taken."""
    stream = graph.stream
    if stream is None or not stream.taken:
        return
    _, last = lifetimes(graph)
    for row, image in stream.taken.items():
        for made, whole in stream.gathered.items():
            if last[image] == stream.end - 1:
                x, y = graph.tensors[row].bytes, graph.tensors[made].bytes
                behind = rows_behind(stream.timing[row], stream.timing[made], x, y)
                sizes = graph.tensors[image].bytes, graph.tensors[whole].bytes
                yield (image, whole), RowDistance(min(max(behind, -sizes[0]), sizes[1]))


def _kept_rows(graph: Graph) -> set[str]:
    """Rows that outlive the node that reads them."""
    every = graph.stream.held if graph.stream is not None else ()
    return {name for held in every for name in (held.tensor, *held.views)}


def _must_reverse(op: Op, kernel: Kernel) -> None:
    if "reversed" not in {field.name for field in members(kernel.params)}:
        raise ToolchainError.of(
            "OPS062",
            f"overlap= offers to walk backward, but {kernel.params.__name__} has no 'reversed'",
            where=f"op '{op.name}', kernel '{kernel.path}'",
            fix="add `reversed: bool = False` to them and obey it, or offer forward only",
        )


def _largest(given: Sequence[int | None], low: int, high: int) -> int | None:
    """Distance that is safe for all inputs, at most that at which tensors are disjoint."""
    known = [distance for distance in given if distance is not None]
    return min(max(*known, low), high) if len(known) == len(given) else None

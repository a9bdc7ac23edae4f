"""Invariants of a graph after each stage. A violation is a bug of the stage, never of a user."""

from collections.abc import Callable, Iterator

from opsmith.ir.flow import blocks, conditions
from opsmith.ir.graph import Graph
from opsmith.ir.types import ALL


class InvalidGraphError(AssertionError):
    """Raised when a stage broke its postcondition."""


def verify(graph: Graph, stage: str) -> Graph:
    """Graph itself if it meets the specification of a stage: read, legal, chosen or planned."""
    problems = violations(graph, stage)
    if problems:
        raise InvalidGraphError(f"after stage '{stage}': " + "; ".join(problems))
    return graph


def violations(graph: Graph, stage: str) -> list[str]:
    """Violations of a stage's specification by a graph, as sentences."""
    return [problem for rule in _SPECS[stage] for problem in rule(graph)]


def _well_formed(graph: Graph) -> Iterator[str]:
    for key, tensor in graph.tensors.items():
        if key != tensor.id or not tensor.id.isidentifier():
            yield f"tensor key {key!r} is not its id or no identifier"
        if min(tensor.shape, default=0) < 0:
            yield f"tensor {key} has a negative size"
        if tensor.constant is not None and tensor.data.shape != tensor.shape:
            yield f"constant {key} has data of another shape"
        known = tensor.constant is not None and tensor.dtype in ALL  # legalize reports other types
        if known and tensor.data.dtype != tensor.dtype.numpy:
            yield f"constant {key} is {tensor.dtype.name} and has data of {tensor.data.dtype}"
    for name in (*graph.inputs, *graph.outputs):
        if name not in graph.tensors:
            yield f"graph input or output {name} does not exist"
    for node in graph.nodes:
        for operand in (*node.inputs, *node.outputs):
            if operand is not None and operand not in graph.tensors:
                yield f"tensor {operand} of node {node.name} does not exist"
    if len({node.name for node in graph.nodes}) != len(graph.nodes):
        yield "two nodes share a name"


def _ordered(graph: Graph) -> Iterator[str]:
    known = set(graph.inputs)
    variables = {tensor.id for tensor in graph.tensors.values() if tensor.variable}
    mutable = {tensor.id for tensor in graph.tensors.values() if tensor.mutable}
    known |= {tensor.id for tensor in graph.tensors.values() if tensor.constant is not None}
    known |= variables
    if graph.stream is not None:
        known |= {view for held in graph.stream.held for view in held.views}
        known |= {*graph.stream.gathered.values(), *graph.stream.taken}
    for node in graph.nodes:
        for name in node.inputs:
            if name is not None and name not in known:
                yield f"node {node.name} reads {name} before it is written"
        for name in node.outputs:
            if name in known and name not in mutable:
                yield f"node {node.name} writes {name} a second time"
            known.add(name)
    for name in conditions(graph.flow):
        if name not in known:
            yield f"condition {name} is never written"
    sometimes = graph.sometimes_written()
    for name in graph.outputs:
        if name not in known or name in sometimes:
            yield f"output {name} is never written"


def _in_blocks(graph: Graph) -> Iterator[str]:
    order = {block: i for i, block in enumerate(blocks(graph.flow))}
    if len(order) != len([*blocks(graph.flow)]):
        yield "a block is in the flow twice"
    places = [order.get(node.block, -1) for node in graph.nodes]
    if places != sorted(places) or -1 in places:
        yield "nodes are not in the order of their blocks"


def _streamed(graph: Graph) -> Iterator[str]:
    stream = graph.stream
    if stream is None:
        return
    for held in stream.held:
        for view, first in held.views.items():
            if first < 0 or first + graph.tensors[view].shape[1] > held.depth:
                yield f"{view} reaches out of {held.buffer}"
    for node in graph.nodes[stream.first : stream.end]:
        if any(name not in stream.timing for name in node.outputs):
            yield f"node {node.name} streams, and nothing says when"


def _legal(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        if "." in node.op:
            yield f"node {node.name} still has the source name {node.op}"


def _chosen(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        if node.kernel is None:
            yield f"node {node.name} has no kernel"


def _planned(graph: Graph) -> Iterator[str]:
    if graph.plan is None:
        yield "there is no plan"
        return
    placements = graph.plan.placements
    for tensor in graph.tensors.values():
        if tensor.constant is None and tensor.id not in placements:
            yield f"tensor {tensor.id} has no address"
    for name, at in placements.items():
        if at.offset < 0 or at.offset + at.bytes > graph.plan.arenas[at.memory]:
            yield f"{name} lies outside the arena of {at.memory}"
        if at.offset % graph.plan.alignment:
            yield f"{name} is not aligned"


_SPECS: dict[str, tuple[Callable[[Graph], Iterator[str]], ...]] = {
    "read": (_well_formed, _in_blocks, _ordered),
    "legal": (_well_formed, _in_blocks, _ordered, _legal),
    "chosen": (_well_formed, _in_blocks, _ordered, _streamed, _legal, _chosen),
    "planned": (_well_formed, _in_blocks, _ordered, _streamed, _legal, _chosen, _planned),
}

"""The smallest graph that still fails: nodes go, and what they computed is an input then."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from opsmith.tflite.emitter import ModelNode, ModelSubgraph


def shrunk(content: ModelSubgraph, fails: Callable[[ModelSubgraph], bool]) -> ModelSubgraph:
    """A part of the graph that fails, none of whose nodes can go."""
    nodes = list(content.nodes)
    step = max(1, len(nodes) // 2)
    while True:
        kept = _without(content, nodes, step, fails)
        if step == 1 and len(kept) == len(nodes):
            return with_nodes(content, nodes)
        step = max(1, step // 2) if len(kept) == len(nodes) else step
        nodes = kept


def _without(
    content: ModelSubgraph,
    nodes: Sequence[ModelNode],
    step: int,
    fails: Callable[[ModelSubgraph], bool],
) -> list[ModelNode]:
    """Nodes without a run of unneeded ones; all nodes where each is needed to fail."""
    for start in range(0, len(nodes), step):
        rest = [*nodes[:start], *nodes[start + step :]]
        if rest and fails(with_nodes(content, rest)):
            return rest
    return list(nodes)


def with_nodes(content: ModelSubgraph, nodes: Sequence[ModelNode]) -> ModelSubgraph:
    """Graph of the given nodes: tensors that no node computes are inputs, tensors that none reads
    outputs.

    Handles are neither inputs nor outputs, so the nodes that make handles are kept.
    """
    read = dict.fromkeys(index for node in nodes for index in node.inputs if index >= 0)
    handles = {t.index for t in content.tensors if t.dtype == "resource"}
    named = handles & {*read}
    kept = [node for node in content.nodes if node in nodes or named & {*node.outputs}]
    made = [index for node in kept for index in node.outputs]
    given = [i for i in read if i not in made and content.tensors[i].data is None]
    inputs = [i for i in given if not content.tensors[i].variable]
    outputs = [i for i in made if i not in handles and (i not in read or i in content.outputs)]
    return replace(content, nodes=kept, inputs=inputs, outputs=outputs)

"""Renaming of a tensor whose id emitted code uses for something else."""

from dataclasses import replace

from opsmith.ir.flow import with_conditions
from opsmith.ir.graph import Graph, Tensor


def without_id(graph: Graph, taken: str) -> Graph:
    """Graph, without a plan, in which no tensor has the id `taken`; its name in the model stays."""
    if taken not in graph.tensors:
        return graph
    new = f"{taken}_"
    while new in graph.tensors:
        new += "2"

    def ids(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if name == taken else name for name in names)

    def renamed(tensor: Tensor) -> Tensor:
        initial = new if tensor.initial == taken else tensor.initial
        return replace(tensor, id=new if tensor.id == taken else tensor.id, initial=initial)

    tensors = [*map(renamed, graph.tensors.values())]
    nodes = tuple(
        replace(
            node,
            inputs=tuple(new if name == taken else name for name in node.inputs),
            outputs=ids(node.outputs),
        )
        for node in graph.nodes
    )
    return replace(
        graph,
        tensors={tensor.id: tensor for tensor in tensors},
        nodes=nodes,
        inputs=ids(graph.inputs),
        outputs=ids(graph.outputs),
        flow=with_conditions(graph.flow, lambda name: new if name == taken else name),
    )

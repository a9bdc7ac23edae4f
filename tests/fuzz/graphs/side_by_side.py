"""Several graphs as one, so that one firmware computes them all."""

from collections.abc import Sequence
from dataclasses import replace

from opsmith.tflite.emitter import ModelNode, ModelSubgraph


def side_by_side(graphs: Sequence[ModelSubgraph]) -> ModelSubgraph:
    """Graph that joins all given graphs, with their inputs and outputs in order."""
    joint = ModelSubgraph("graphs")
    for number, graph in enumerate(graphs):
        first = len(joint.tensors)
        joint.tensors += [
            replace(each, index=first + each.index, name=f"g{number}_{each.name}")
            for each in graph.tensors
        ]
        joint.nodes += [_moved(node, first) for node in graph.nodes]
        joint.inputs += [first + index for index in graph.inputs]
        joint.outputs += [first + index for index in graph.outputs]
    return joint


def _moved(node: ModelNode, by: int) -> ModelNode:
    """Node with the numbers of its tensors increased."""

    def moved(indices: Sequence[int]) -> tuple[int, ...]:
        return tuple(index + by if index >= 0 else index for index in indices)

    inputs, outputs = moved(node.inputs), moved(node.outputs)
    return replace(node, inputs=inputs, outputs=outputs, intermediates=moved(node.intermediates))

"""The graph evaluator: every node by its op's numpy `evaluate`, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toolchain.ir import Array, Graph
from toolchain.op.discover import OpIndex
from toolchain.op.node import view


def evaluate(graph: Graph, ops: OpIndex, inputs: Sequence[Array]) -> dict[str, Array]:
    """The value of every tensor of a legal graph, by id, for these values of its inputs."""
    values = {t.id: t.data for t in graph.tensors.values() if t.constant is not None}
    values |= dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.nodes:
        op = ops[node.op]
        assert op.evaluate is not None, f"op {op.name} has no evaluate"
        given = [values[name] for name in node.inputs if name is not None]
        results = op.evaluate(view(graph, node, op), given)
        for name, result in zip(node.outputs, results, strict=True):
            values[name] = _of_type(result, graph, name, node.op)
    return values


def _of_type(value: Array, graph: Graph, name: str, op: str) -> Array:
    """The value itself, when its type and shape are what the graph says of the tensor."""
    tensor, found = graph.tensors[name], np.asarray(value)
    made = f"{found.dtype.name}{list(found.shape)}"
    said = f"{tensor.dtype.name}{list(tensor.shape)}"
    assert made == said, f"evaluate of {op} gave {made} for {name}, which is {said}"
    return found

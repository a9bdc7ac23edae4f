"""Compute at build time every node whose inputs are all constant.

Postcondition: no node that its op can `evaluate` has constant inputs alone, unless an output is
larger than any flash.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toolchain.errors import ToolchainError
from toolchain.ir import Array, Constant, Graph, Node, Tensor
from toolchain.op.discover import OpIndex
from toolchain.op.node import view
from toolchain.transform.constants import LARGEST_CONSTANT


def fold_constants(graph: Graph, ops: OpIndex) -> Graph:
    """The graph with such nodes replaced by the constants they compute."""
    tensors = dict(graph.tensors)
    nodes: list[Node] = []
    for node in graph.nodes:
        inputs = [tensors[name] for name in node.inputs if name is not None]
        op = ops.of(graph, node)
        if (
            op.evaluate is None
            or op.states
            or any(t.constant is None or t.variable for t in inputs)
            or any(tensors[name].elements > LARGEST_CONSTANT for name in node.outputs)
        ):
            nodes.append(node)
            continue
        current = Graph(graph.name, tensors, (), (), ())
        values = op.evaluate(view(current, node, op), [t.data for t in inputs])
        if [np.shape(value) for value in values] != [tensors[n].shape for n in node.outputs]:
            raise _wrong_shapes(node, values)
        for name, value in zip(node.outputs, values, strict=True):
            tensors[name] = _constant(tensors[name], value)
    return Graph(graph.name, tensors, (), graph.inputs, graph.outputs).with_nodes(tuple(nodes))


def _wrong_shapes(node: Node, values: Sequence[Array]) -> ToolchainError:
    shapes = ", ".join(str(list(np.shape(value))) for value in values)
    return ToolchainError.of(
        "OPS041",
        f"evaluate of op '{node.op}' gave {shapes or 'nothing'} where its infer said otherwise",
        where=node.source,
        fix="return one array for each output, of the shape that infer= says",
    )


def _constant(tensor: Tensor, value: object) -> Tensor:
    array = np.array(value, tensor.dtype.numpy).reshape(tensor.shape)
    return Tensor(
        tensor.id, tensor.name, tensor.dtype, tensor.shape, tensor.quantization, Constant(array)
    )

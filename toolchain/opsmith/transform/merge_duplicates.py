"""Merging of nodes that compute equal results: common subexpressions.

Exact: an op's output is a function of its inputs, its attributes, its rule of numerics and its
output's type; nodes that agree in all of them have equal outputs, except for ops with state.

Postcondition: no two nodes agree in all of them, except nodes whose outputs are visible outside.
"""

import hashlib
from collections.abc import Hashable
from typing import Any

import numpy as np

from opsmith.ir import Graph, Node, Tensor
from opsmith.ir.same import Same
from opsmith.op.index import OpIndex


def merge_duplicates(graph: Graph, ops: OpIndex) -> Graph:
    """Graph in which the first of several equal nodes replaces all of them."""
    same = Same(graph)
    constants = {t.id: _content(t) for t in graph.tensors.values() if t.constant is not None}
    first: dict[Hashable, list[Node]] = {}
    nodes = []
    for node in graph.nodes:
        renamed = same.renamed(node)
        if ops[node.op].states or any(n and graph.tensors[n].variable for n in node.inputs):
            nodes.append(node)
            continue
        alike = first.setdefault(_key(graph, renamed, constants), [])
        if not any(_merged(same, node, other) for other in alike):
            alike.append(node)
            nodes.append(node)
    return same.graph(nodes)


def _merged(same: Same, node: Node, earlier: Node) -> bool:
    """True if the earlier node can write for both nodes. Nodes with several outputs stay."""
    return len(node.outputs) == 1 and same.merge(node.outputs[0], earlier.outputs[0])


def _key(graph: Graph, node: Node, constants: dict[str, Hashable]) -> Hashable:
    inputs = tuple(constants.get(name or "", name) for name in node.inputs)
    written = [graph.tensors[name] for name in node.outputs]
    outputs = tuple((t.dtype.name, t.shape, t.quantization) for t in written)
    attributes = tuple(sorted((name, _frozen(value)) for name, value in node.attributes.items()))
    return node.op, node.numerics, inputs, attributes, outputs


def _content(tensor: Tensor) -> Hashable:
    digest = hashlib.sha256(np.ascontiguousarray(tensor.data).tobytes()).digest()
    return tensor.dtype.name, tensor.shape, tensor.quantization, digest


def _frozen(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    return f"{type(value).__name__} {value!r}"

"""Comparison of the decomposition of an example with the op's `evaluate`."""

from collections.abc import Callable, Iterator

import numpy as np

from opsmith.errors import Problem
from opsmith.ir import Array, Graph, Node, Tensor
from opsmith.legalize.decompose import decompose
from opsmith.op.index import OpIndex
from opsmith.oracle.evaluate import Evaluator

_PERIOD = 127  # of sample numbers, which every type has
_DEAREST = 1e9  # cost of the whole, so that a decomposition that may save is tried


def probe_parts(ops: OpIndex, graph: Graph, where: str) -> Iterator[Problem]:
    """Problem OPS092 if the other ops that the graph's only node becomes give other bytes than its
    op's evaluate, for sample numbers of either sign.
    """
    (node,) = graph.nodes
    if ops[node.op].decompose is None:
        return
    parts = decompose(graph, ops, None, cost=_costs(node))
    every = [ops.of(each, n) for each in (graph, parts) for n in each.nodes]
    if parts.nodes == graph.nodes or any(op.evaluate is None or op.states for op in every):
        return
    inputs = [graph.tensors[name] for name in graph.inputs]
    for sign in (1, -1):
        given = [_numbers(tensor, sign) for tensor in inputs]
        whole, made = (Evaluator(each, ops).run(given) for each in (graph, parts))
        if any(whole[name].tobytes() != made[name].tobytes() for name in graph.outputs):
            names = ", ".join(dict.fromkeys(each.op for each in parts.nodes))
            what = f"decompose of '{node.op}' makes {names}, which give other bytes than evaluate"
            yield Problem("OPS092", f"{node.source}: {what}", where, "correct one of them")
            return


def _costs(whole: Node) -> Callable[[Graph, Node], float]:
    return lambda graph, node: _DEAREST if node == whole else 1.0


def _numbers(tensor: Tensor, sign: int) -> Array:
    """Repeating numbers from 1, or from -1 down, in the tensor's shape; bools by turns."""
    numbers = np.arange(1, tensor.elements + 1).reshape(tensor.shape)
    if tensor.dtype.short == "bool":
        numbers = numbers + (sign < 0)
        return np.asarray(numbers % 2, np.bool_)
    return (numbers % _PERIOD * sign).astype(tensor.dtype.numpy)

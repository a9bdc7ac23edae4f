"""Comparison of the decomposition of an example with the op's `evaluate`."""

from collections.abc import Callable, Iterator

import numpy as np

from opsmith.errors import Problem
from opsmith.ir import Array, Graph, Node, Tensor
from opsmith.legalize.decompose import decompose
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs, view
from opsmith.oracle.differences import unsigned_nan
from opsmith.oracle.evaluate import Evaluator

_PERIOD = 127  # of sample numbers, which every type has
_ANY = -_PERIOD, _PERIOD
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
    limits = {**_limits(parts, ops), **_limits(graph, ops)}
    for sign in (1, -1):
        given = [_numbers(each, sign, *limits.get(each.id, _ANY)) for each in inputs]
        with np.errstate(all="ignore"):
            whole, made = (Evaluator(each, ops).run(given) for each in (graph, parts))
        pairs = [(whole[name], made[name]) for name in graph.outputs]
        if any(unsigned_nan(one).tobytes() != unsigned_nan(y).tobytes() for one, y in pairs):
            names = ", ".join(dict.fromkeys(each.op for each in parts.nodes))
            what = f"decompose of '{node.op}' makes {names}, with other bytes than evaluate"
            yield Problem("OPS092", f"{node.source}: {what}", where, "correct one of them")
            return


def _costs(whole: Node) -> Callable[[Graph, Node], float]:
    return lambda graph, node: _DEAREST if node == whole else 1.0


def _limits(graph: Graph, ops: OpIndex) -> dict[str, tuple[int, int]]:
    """Least and greatest of the positions in tensors that name some, by id."""
    typed = ((node, ops.of(graph, node)) for node in graph.nodes)
    return {
        name: value.limits(view(graph, node, op))
        for node, op in typed
        for value, name in named_inputs(op, node)
        if value.limits is not None and name is not None
    }


def _numbers(tensor: Tensor, sign: int, least: int, greatest: int) -> Array:
    """Repeating numbers from 1, or from -1 down, in the tensor's shape, within limits; bools by
    turns.
    """
    numbers = np.arange(1, tensor.elements + 1).reshape(tensor.shape)
    if tensor.dtype.short == "bool":
        numbers = numbers + (sign < 0)
        return np.asarray(numbers % 2, np.bool_)
    signed = numbers % _PERIOD * sign
    return np.clip(signed, least, greatest).astype(tensor.dtype.numpy)

"""The graph evaluator: variables have memory of their own, whatever an op's `evaluate` returns."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from opsmith.ir import Array
from opsmith.op.view import NodeView
from opsmith.op.wrap import wrapped
from opsmith.oracle.evaluate import Evaluator
from tests.unit.graphs import graph, node, op, ops, same, tensor


def count(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Add x to the state; returns the new state."""
    x, state = inputs
    state += x
    return [state.copy()]


def test_a_node_changes_a_variable_alone_that_another_copies() -> None:
    described = op("count", ("x", "s"), evaluate=count)
    inputs = (described.inputs[0], replace(described.inputs[1], state=True))
    counting = replace(described, inputs=inputs)
    known = ops(*(wrapped(each, Path()) for each in (counting, op("copy", evaluate=same))))
    tensors = [tensor(name) for name in ("x", "before", "y")] + [tensor("s", variable=True)]
    nodes = [node("copy", "x", "s"), node("copy", "s", "before"), node("count", ["x", "s"], "y")]
    x = np.ones(tensors[0].shape, tensors[0].dtype.numpy)
    values = Evaluator(graph(tensors, nodes, "x", "y"), known).run([x])
    found = [int(values[name].flat[0]) for name in ("x", "before", "y", "s")]
    assert found == [1, 1, 2, 2]

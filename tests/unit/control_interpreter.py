"""Runs the models of control_networks.py as TensorFlow Lite Micro would: subgraph by subgraph.

All values that a body returns arrive at once.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.emitter import ModelNode, ModelSubgraph, ModelTensor
from tests.fuzz.graphs.calls import Call
from tests.unit.control_networks import MEMORY

COMPUTED: dict[str, Callable[..., Any]] = {
    "ADD": operator.add, "SUB": operator.sub, "MAXIMUM": np.maximum, "MINIMUM": np.minimum,
    "GREATER": operator.gt, "LESS": operator.lt, "LOGICAL_AND": operator.and_,
    "LOGICAL_OR": operator.or_, "LOGICAL_NOT": np.logical_not, "SELECT_V2": np.where,
    "REDUCE_ANY": lambda x, _: x.any(), "REDUCE_ALL": lambda x, _: x.all(),
    "RESHAPE": np.reshape,
}  # fmt: skip


class Interpreter:
    """Interpreter of a network, which keeps its variables and states."""

    def __init__(self, network: ModelSubgraph) -> None:
        self._network = network
        self._variables: dict[Any, Array] = {}
        self._states: dict[tuple[int, int], Array] = {}  # by subgraph and tensor
        self._called: set[int] = set()  # subgraphs that are run once

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """Outputs of the network for a set of inputs."""
        return self._run(self._network, inputs)

    def _run(self, graph: ModelSubgraph, inputs: Sequence[Any]) -> list[Any]:
        values: dict[int, Any] = dict(zip(graph.inputs, inputs, strict=True))
        for each in graph.tensors:
            if each.data is not None:
                values[each.index] = np.frombuffer(each.data, each.dtype).reshape(each.shape)
            elif each.variable:
                first = np.zeros((4, MEMORY), each.dtype)
                values[each.index] = self._states.setdefault((id(graph), each.index), first)
        for node in graph.nodes:
            given = [values[index] for index in node.inputs if index >= 0]
            ran = self._called_by(node, given) if isinstance(node, Call) else None
            made = self._node(node, given, graph.tensors) if ran is None else ran
            values.update(zip(node.outputs, made, strict=True))
        return [values[index] for index in graph.outputs]

    def _called_by(self, node: Call, given: list[Any]) -> list[Any]:
        first, *others = node.bodies.values()
        match node.op:
            case "IF":
                return self._run(first if given[0] else others[0], given[1:])
            case "WHILE":
                while self._run(first, given)[0]:
                    given = self._run(others[0], given)
                return given
        if id(first) not in self._called:
            self._called.add(id(first))
            self._run(first, [])
        return []

    def _node(self, node: ModelNode, given: list[Any], tensors: Sequence[ModelTensor]) -> list[Any]:
        options: Any = node.options
        match node.op:
            case "VAR_HANDLE":
                return [options["shared_name"]]
            case "READ_VARIABLE":
                return [self._variables[given[0]]]
            case "ASSIGN_VARIABLE":
                self._variables[given[0]] = given[1]
                return []
            case "CAST":
                return [given[0].astype(tensors[node.outputs[0]].dtype)]
            case "DEQUANTIZE":
                (scale,) = tensors[node.inputs[0]].scale
                return [given[0] * np.float32(scale)]
            case "SVDF":
                return [_delayed(*given)]
        return [COMPUTED[node.op](*given)]


def _delayed(x: Array, weights: Array, delays: Array, state: Array) -> Array:
    """Output of SVDF of rank 1; its state, a row for each unit, changes."""
    state[:] = np.hstack([state[:, 1:], weights @ x.reshape(-1, 1)])
    return np.asarray((state * delays).sum(axis=1, dtype=np.float32).reshape(1, -1))

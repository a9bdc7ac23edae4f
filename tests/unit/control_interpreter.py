"""Runs the models of control_networks.py as TensorFlow Lite Micro would: subgraph by subgraph.

All values that a body returns arrive at once.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opsmith.ir import Array
from opsmith.tflite.emitter import ModelNode, ModelTensor
from tests.unit.control_networks import MEMORY, ControlNetwork

COMPUTED: dict[str, Callable[..., Any]] = {
    "ADD": operator.add, "SUB": operator.sub, "MAXIMUM": np.maximum, "MINIMUM": np.minimum,
    "GREATER": operator.gt, "LESS": operator.lt, "LOGICAL_AND": operator.and_,
    "LOGICAL_OR": operator.or_, "LOGICAL_NOT": np.logical_not, "SELECT_V2": np.where,
    "RESHAPE": np.reshape,
}  # fmt: skip


class Interpreter:
    """Interpreter of a network, which keeps its variables and states."""

    def __init__(self, network: ControlNetwork) -> None:
        self._subgraphs = [each.content for each in network.model.subgraphs]
        self._variables: dict[Any, Array] = {}
        self._states: dict[tuple[int, int], Array] = {}  # by subgraph and tensor
        self._started = False

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """Outputs of the network for a set of inputs."""
        return self._run(0, inputs)

    def _run(self, number: int, inputs: Sequence[Any]) -> list[Any]:
        graph = self._subgraphs[number]
        values: dict[int, Any] = dict(zip(graph.inputs, inputs, strict=True))
        for each in graph.tensors:
            if each.data is not None:
                values[each.index] = np.frombuffer(each.data, each.dtype).reshape(each.shape)
            elif each.variable:
                first = np.zeros((4, MEMORY), each.dtype)
                values[each.index] = self._states.setdefault((number, each.index), first)
        for node in graph.nodes:
            given = [values[index] for index in node.inputs if index >= 0]
            made = self._node(node, given, graph.tensors)
            values.update(zip(node.outputs, made, strict=True))
        return [values[index] for index in graph.outputs]

    def _node(self, node: ModelNode, given: list[Any], tensors: Sequence[ModelTensor]) -> list[Any]:
        options: Any = node.options
        match node.op:
            case "IF":
                name = "then_subgraph_index" if given[0] else "else_subgraph_index"
                return self._run(options[name], given[1:])
            case "WHILE":
                while self._run(options["cond_subgraph_index"], given)[0]:
                    given = self._run(options["body_subgraph_index"], given)
                return given
            case "CALL_ONCE":
                made = [] if self._started else self._run(options["init_subgraph_index"], [])
                self._started = True
                return made
            case "VAR_HANDLE":
                return [options["shared_name"]]
            case "READ_VARIABLE":
                return [self._variables[given[0]]]
            case "ASSIGN_VARIABLE":
                self._variables[given[0]] = given[1]
                return []
            case "REDUCE_ANY":
                return [given[0].any()]
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

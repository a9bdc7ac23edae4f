"""Bidirectional recurrent layers become two layers, with operators that reverse sequences."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from opsmith.ir import Constant, Graph, Node, Tensor
from opsmith.ir.types import i32

# Operands of the forward layer and of the backward layer: after the input, weights, biases and
# states in the order of the operator of one direction. No further input is allowed.
_OPERANDS = {
    "tflite.BIDIRECTIONAL_SEQUENCE_LSTM": ((*range(1, 18), 35, 36), (*range(18, 35), 37, 38)),
    "tflite.BIDIRECTIONAL_SEQUENCE_RNN": ((1, 2, 3, 4), (5, 6, 7, 8)),
}
_FURTHER = {"tflite.BIDIRECTIONAL_SEQUENCE_LSTM": 39, "tflite.BIDIRECTIONAL_SEQUENCE_RNN": 9}
# position, among a layer's operands, of the weights of its last output, with one row per cell or
# unit
_RECURRENT = {"tflite.BIDIRECTIONAL_SEQUENCE_LSTM": 5, "tflite.BIDIRECTIONAL_SEQUENCE_RNN": 1}


def one_way(graph: Graph) -> Graph:
    """Graph with two layers for each bidirectional one, except where that has further inputs."""
    turner = _Turner(graph)
    nodes = tuple(made for node in graph.nodes for made in turner.nodes(node))
    return graph.with_nodes(nodes, **turner.tensors) if nodes != graph.nodes else graph


class _Turner:
    """Maker of layers of one direction."""

    def __init__(self, graph: Graph) -> None:
        self.tensors = dict(graph.tensors)
        self._taken = {*graph.tensors, *(node.name for node in graph.nodes)}

    def nodes(self, node: Node) -> Iterator[Node]:
        """Operators that replace a node."""
        if not self._is_plain(node):
            yield node
            return
        x, axis = node.inputs[0] or "", self._axis(node)
        options = {**node.attributes}
        merged = options.pop("merge_outputs", False)
        turned, back = self._like(node, x, "turned"), self._output(node, 1, "back")
        outputs = [self._output(node, i, what) for i, what in enumerate(("forward", "backward"))]
        if not merged:
            outputs = list(node.outputs)
        yield self._layer(node, 0, x, outputs[0], options)
        yield self._node(node, "REVERSE_V2", (x, axis), turned)
        yield self._layer(node, 1, turned, back, options)
        yield self._node(node, "REVERSE_V2", (back, axis), outputs[1])
        if merged:
            joined = replace(node, op="tflite.CONCATENATION", inputs=tuple(outputs), version=1)
            yield replace(joined, attributes={"axis": -1, "fused_activation_function": "NONE"})

    def _is_plain(self, node: Node) -> bool:
        """True for a bidirectional layer all of whose inputs a layer of one direction has, too."""
        if node.op not in _OPERANDS:
            return False
        further = _FURTHER[node.op]
        merged = bool(node.attributes.get("merge_outputs", False))
        fits = len(node.inputs) >= further and len(node.outputs) == (1 if merged else 2)
        if not fits or node.inputs[0] is None or any(node.inputs[further:]):
            return False
        weights = [node.inputs[places[_RECURRENT[node.op]]] for places in _OPERANDS[node.op]]
        return all(name and len(self.tensors[name].shape) == 2 for name in weights)

    def _layer(self, node: Node, way: int, x: str, y: str, options: dict[str, object]) -> Node:
        operands = (x, *(node.inputs[place] for place in _OPERANDS[node.op][way]))
        op = node.op.replace("BIDIRECTIONAL", "UNIDIRECTIONAL")
        return replace(
            node, name=self._name(node, y), op=op, inputs=operands, outputs=(y,), attributes=options
        )

    def _node(self, node: Node, op: str, inputs: Sequence[str], y: str) -> Node:
        name = self._name(node, y)
        made = replace(node, name=name, op=f"tflite.{op}", inputs=tuple(inputs), outputs=(y,))
        return replace(made, attributes={}, version=1)

    def _name(self, node: Node, y: str) -> str:
        return node.name if y == node.outputs[0] else y

    def _axis(self, node: Node) -> str:
        axis = 0 if node.attributes.get("time_major", False) else 1
        values = np.array([axis], i32.numpy)
        return self._new(node, "axis", Tensor("", "", i32, (1,), constant=Constant(values)))

    def _output(self, node: Node, way: int, what: str) -> str:
        """Name of a new tensor for the output of the layer of one direction."""
        weights = node.inputs[_OPERANDS[node.op][way][_RECURRENT[node.op]]] or ""
        x = self.tensors[node.inputs[0] or ""]
        shape = (*x.shape[:-1], self.tensors[weights].shape[0])
        y = self.tensors[node.outputs[0]]
        return self._new(node, what, Tensor("", "", y.dtype, shape, y.quantization))

    def _like(self, node: Node, x: str, what: str) -> str:
        its = self.tensors[x]
        return self._new(node, what, Tensor("", "", its.dtype, its.shape, its.quantization))

    def _new(self, node: Node, what: str, tensor: Tensor) -> str:
        wanted = f"{node.outputs[0]}_{what}"
        name = next(each for n in count() if (each := f"{wanted}{n or ''}") not in self._taken)
        self._taken.add(name)
        self.tensors[name] = replace(tensor, id=name, name=name)
        return name

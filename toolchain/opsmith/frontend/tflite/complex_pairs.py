"""Complex numbers become pairs of floats: a last axis of two, the real and the imaginary part.

Front ends for audio, such as tf.signal's, pass spectra on by operators that move elements. Any
other operator of complex numbers stays as it is, and is refused for their type.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from opsmith.frontend.tflite.whole import ASSIGN
from opsmith.ir import Array, Constant, Graph, Node, Tensor
from opsmith.ir.types import BY_NAME, f32, i32, i64

_MADE, _TAKEN = ("tflite.RFFT2D",), ("tflite.COMPLEX_ABS",)
_PARTS = {"tflite.REAL": 0, "tflite.IMAG": 1}
RESHAPE, SQUEEZE, EXPAND = "tflite.RESHAPE", "tflite.SQUEEZE", "tflite.EXPAND_DIMS"
_KNOWN = {*_MADE, *_TAKEN, *_PARTS, RESHAPE, SQUEEZE, EXPAND, ASSIGN}
_SIZES = {RESHAPE: "new_shape", SQUEEZE: "squeeze_dims"}  # options that name axes


def with_pairs(graph: Graph) -> Graph:
    """Graph with pairs, if all operators that read or write complex numbers can use pairs."""
    found = {name for name, tensor in graph.tensors.items() if tensor.dtype.name == "complex64"}
    if not found or not _may_be_pairs(graph, found):
        return graph
    pairs = _Pairs(graph, found)
    nodes = tuple(made for node in graph.nodes for made in pairs.nodes(node))
    return graph.with_nodes(nodes, **pairs.tensors)


def _may_be_pairs(graph: Graph, found: set[str]) -> bool:
    ends = {*graph.inputs, *graph.outputs}
    ends |= {name for name, each in graph.tensors.items() if each.constant or each.variable}
    touching = (node for node in graph.nodes if not found.isdisjoint((*node.inputs, *node.outputs)))
    return found.isdisjoint(ends) and all(_is_known(graph, node, found) for node in touching)


def _is_known(graph: Graph, node: Node, found: set[str]) -> bool:
    """True if an operator reads and writes complex numbers where it is known to, and its options
    need little change for one more axis.
    """
    made, taken = (names[:1] and names[0] in found for names in (node.outputs, node.inputs))
    others = (*node.outputs[1:], *node.inputs[1:])
    if node.op not in _KNOWN or not found.isdisjoint(others) or None in node.inputs:
        return False
    if made != (node.op not in {*_TAKEN, *_PARTS}) or taken != (node.op not in _MADE):
        return False
    if node.op not in (EXPAND, RESHAPE):
        return True
    if len(node.inputs) == 1:
        return node.op == RESHAPE
    axis = graph.tensors[node.inputs[1] or ""]
    fits = len(axis.shape) == 1 if node.op == RESHAPE else axis.constant and axis.elements == 1
    return bool(fits) and axis.dtype in (i32, i64)


class _Pairs:
    """Maker of operators of pairs."""

    def __init__(self, graph: Graph, found: set[str]) -> None:
        shapes = {name: (*graph.tensors[name].shape, 2) for name in found}
        changed = {
            name: replace(graph.tensors[name], dtype=f32, shape=shape)
            for name, shape in shapes.items()
        }
        self.tensors = {**graph.tensors, **changed}
        self._taken = {*graph.tensors, *(node.name for node in graph.nodes)}
        self._found = found

    def nodes(self, node: Node) -> Iterator[Node]:
        """Operators that replace a node."""
        if self._found.isdisjoint((*node.inputs, *node.outputs)) or node.op == ASSIGN:
            yield node
        elif node.op in (*_MADE, *_TAKEN):
            yield replace(node, attributes={**node.attributes, "pairs": True})
        elif node.op in _PARTS:
            yield self._part(node)
        elif node.op == EXPAND:
            axis = self.tensors[node.inputs[1] or ""].data
            moved = self._constant(node, np.where(axis < 0, axis - 1, axis))
            yield replace(node, inputs=(node.inputs[0], moved))
        elif node.op == RESHAPE and len(node.inputs) > 1:
            yield from self._reshape(node)
        else:
            named = list(node.attributes.get(_SIZES[node.op]) or ())
            if node.op == RESHAPE:
                named.append(2)
            else:
                named = [axis - (axis < 0) for axis in named]
            yield replace(node, attributes={**node.attributes, _SIZES[node.op]: tuple(named)})

    def _part(self, node: Node) -> Node:
        """Operator that takes the real or the imaginary parts of pairs."""
        place = self._constant(node, np.array(_PARTS[node.op], i32.numpy))
        options = {"axis": -1, "batch_dims": 0}
        inputs = (node.inputs[0], place)
        return replace(node, op="tflite.GATHER", inputs=inputs, attributes=options, version=1)

    def _reshape(self, node: Node) -> Iterator[Node]:
        """RESHAPE of pairs by an operand, to which the last axis is appended."""
        x, shape = node.inputs
        tensor = self.tensors[shape or ""]
        two = np.array([2], tensor.dtype.numpy)
        if tensor.constant is not None:
            sizes = self._constant(node, np.concatenate([tensor.data, two]))
        else:
            sizes = self._new(node, replace(tensor, shape=(tensor.elements + 1,)))
            given, options = (shape, self._constant(node, two)), {"axis": 0}
            yield Node(sizes, "tflite.CONCATENATION", given, (sizes,), options, node.source)
        options = {**node.attributes}
        options.pop("new_shape", None)
        yield replace(node, inputs=(x, sizes), attributes=options)

    def _constant(self, node: Node, values: Array) -> str:
        dtype = BY_NAME[values.dtype.name]
        return self._new(node, Tensor("", "", dtype, values.shape, constant=Constant(values)))

    def _new(self, node: Node, tensor: Tensor) -> str:
        """Name of a new tensor with the properties of the given one."""
        wanted = f"{node.outputs[0]}_pairs"
        name = next(each for n in count() if (each := f"{wanted}{n or ''}") not in self._taken)
        self._taken.add(name)
        self.tensors[name] = replace(tensor, id=name, name=name)
        return name

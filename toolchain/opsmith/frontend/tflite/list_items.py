"""Assignment of list items: loops of Keras collect their results in TensorFlow's lists.

The converter writes an assignment as a concatenation of the rows before the item, the item and the
rows after it, whose numbers are only known at run time: in effect a tensor of known shape with one
row replaced.
"""

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from opsmith.ir import Graph, Node, Tensor
from opsmith.ir.types import i32

UPDATE = "tflite.DYNAMIC_UPDATE_SLICE"


def with_item_updates(graph: Graph) -> Graph:
    """Graph with a DYNAMIC_UPDATE_SLICE for each concatenation that sets an item of a list."""
    finder = _Finder(graph)
    nodes: list[Node] = []
    tensors: dict[str, Tensor] = {}
    for node in graph.nodes:
        update = finder.update(node)
        if update is None:
            nodes.append(node)
            continue
        x, item, index, zeros = update
        start = _free(f"{node.outputs[0]}_start", {**graph.tensors, **tensors})
        tensors[start] = Tensor(start, start, i32, (len(graph.tensors[x].shape),))
        nodes.append(replace(node, name=start, inputs=(index, zeros), outputs=(start,)))
        nodes.append(replace(node, op=UPDATE, inputs=(x, item, start), attributes={}, version=1))
    return graph.with_nodes(tuple(nodes), **tensors)


def _free(wanted: str, taken: Container[str]) -> str:
    return next(name for n in count() if (name := f"{wanted}{n or ''}") not in taken)


class _Finder:
    """Finder of patterns of operators that compute a tensor."""

    def __init__(self, graph: Graph) -> None:
        self._tensors = graph.tensors
        self._writers = {name: node for node in graph.nodes for name in node.outputs}

    def update(self, node: Node) -> tuple[str, str, str, str] | None:
        """List, item, index as a vector, and zeros of other axes, if the node sets an item."""
        if len(node.inputs) != 3 or not self._concatenates_rows(node):
            return None
        before, item, after = node.inputs
        first, last = self._slice(before), self._slice(after)
        if item is None or first is None or last is None or first[0] != last[0]:
            return None
        (x, begin, size), (_, next_begin, rest) = first, last
        counted, following = self._vector(size, -1), self._vector(next_begin, 0)
        if counted is None or following is None:
            return None
        index, zeros = self._scalar(counted[0]), following[1]
        follows = self._successor(self._scalar(following[0]))
        whole = self._filled(begin, 0) and self._filled(rest, -1)
        if not whole or index is None or index != follows or not self._fits(x, item, node):
            return None
        return x, item, counted[0], zeros

    def _made_by(self, name: str | None, op: str, inputs: int) -> Sequence[str] | None:
        """Inputs of a tensor's writer, if that is `op` with exactly `inputs` operands, or None."""
        node = self._writers.get(name or "")
        if node is None or node.op != f"tflite.{op}" or len(node.inputs) != inputs:
            return None
        given = [name for name in node.inputs if name is not None]
        return given if len(given) == inputs else None

    def _slice(self, name: str | None) -> Sequence[str] | None:
        return self._made_by(name, "SLICE", 3)

    def _concatenates_rows(self, node: Node) -> bool:
        rows = node.attributes.get("axis", 0) == 0
        return node.op == "tflite.CONCATENATION" and rows and _is_plain(node)

    def _vector(self, name: str | None, value: int) -> tuple[str, str] | None:
        """Leading number and constant rest of a vector, if the rest is all `value`; else None."""
        found = self._made_by(name, "CONCATENATION", 2)
        if found is None or not self._concatenates_rows(self._writers[name or ""]):
            return None
        number, others = found
        return (number, others) if self._filled(others, value) else None

    def _filled(self, name: str, value: int) -> bool:
        """True if the tensor is a constant int32 vector filled with `value`."""
        tensor = self._tensors[name]
        known = tensor.constant is not None and tensor.dtype == i32 and len(tensor.shape) == 1
        return known and bool(np.all(tensor.data == value))

    def _scalar(self, name: str) -> str | None:
        """Name of the scalar that is reshaped to a vector of one element; else None."""
        found = self._made_by(name, "RESHAPE", 2)
        return found[0] if found and self._tensors[name].shape == (1,) else None

    def _successor(self, name: str | None) -> str | None:
        """Name of the number to which 1 is added to give the tensor; else None."""
        found = self._made_by(name, "ADD", 2)
        if found is None:
            return None
        number, one = found
        constant = self._tensors[one].constant
        by_one = constant is not None and constant.array.shape == () and constant.array == 1
        return number if by_one and _is_plain(self._writers[name or ""]) else None

    def _fits(self, x: str, item: str, node: Node) -> bool:
        """True if the item is one row of the list, and the result has the list's shape and type."""
        whole, row, made = (self._tensors[name] for name in (x, item, node.outputs[0]))
        types = {(each.dtype, each.quantization) for each in (whole, row, made)}
        return whole.type == made.type and row.shape == (1, *whole.shape[1:]) and len(types) == 1


def _is_plain(node: Node) -> bool:
    """True if the operator has no activation."""
    return bool(node.attributes.get("fused_activation_function", "NONE") == "NONE")

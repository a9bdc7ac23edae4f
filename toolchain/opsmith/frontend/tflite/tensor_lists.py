"""Lists of tensors become arrays with a row for each item, where nothing makes them longer.

Loops of recurrent layers collect their results in lists where the batch may have any size. The
operators are TensorFlow's own (Flex), and LiteRT has none of them. In TensorFlow and here an item
that nothing has set is zero.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from opsmith.frontend.tflite.whole import ASSIGN
from opsmith.ir import Array, Constant, DType, Graph, Node, Tensor
from opsmith.ir.types import BY_NAME, i32

_FLEX = "tflite.CUSTOM.FlexTensorList"
RESERVE, FROM, GET = f"{_FLEX}Reserve", f"{_FLEX}FromTensor", f"{_FLEX}GetItem"
SET, STACK = f"{_FLEX}SetItem", f"{_FLEX}Stack"
_INPUTS = {RESERVE: 2, FROM: 2, GET: 3, SET: 3, STACK: 2, ASSIGN: 1}
_ITEMS = {SET: ("inputs", 2), GET: ("outputs", 0), FROM: ("inputs", 0), STACK: ("outputs", 0)}
_GROWS = b"resize_if_index_out_of_bounds\x12\x02(\x01"  # in the options of the operator


def with_arrays(graph: Graph) -> Graph:
    """Graph with an array for each list whose length is known before it is filled."""
    lists = _arrays(graph)
    if not lists:
        return graph
    made = _Rewriter(graph, lists)
    nodes: list[Node] = []
    for node in graph.nodes:
        nodes += made.before(node)
        nodes += made.nodes(node)
    nodes += made.before(None)
    return graph.with_nodes(tuple(nodes), **made.tensors)


@dataclass(frozen=True)
class _Array:
    """An array that replaces a list."""

    dtype: DType
    item: tuple[int, ...]  # stored shape of an item, with 1 for an open size
    like: str | None  # a tensor with an item's shape, computed before the loop


def _arrays(graph: Graph) -> dict[str, _Array]:
    """Array that each list of the graph becomes, by the ids of the list's tensors."""
    families, carried = _families(graph), _carried(graph)
    touching: dict[int, list[Node]] = {id(family): [] for family in families.values()}
    for node in graph.nodes:
        names = (*node.inputs, *node.outputs)
        for number in {id(families[name]) for name in names if name in families}:
            touching[number].append(node)
    others = {name for name, each in graph.tensors.items() if each.constant or each.variable}
    others |= {*graph.inputs, *graph.outputs}
    found: dict[str, _Array] = {}
    for family in {id(each): each for each in families.values()}.values():
        array = _array(graph, touching[id(family)], carried) if family.isdisjoint(others) else None
        found |= {} if array is None else dict.fromkeys(family, array)
    return found


def _families(graph: Graph) -> dict[str, set[str]]:
    """Tensors that hold one list, as loops pass it on and operators set items, by each tensor."""
    lists = (name for name, tensor in graph.tensors.items() if tensor.dtype.name == "variant")
    families = {name: {name} for name in lists}
    for node in graph.nodes:
        x, y = node.inputs[:1], node.outputs[:1]
        if node.op in (SET, ASSIGN) and x and y and families.keys() >= {*x, *y}:
            less, more = sorted((families[x[0] or ""], families[y[0]]), key=len)
            if less is not more:
                more |= less
                families |= dict.fromkeys(less, more)
    return families


def _carried(graph: Graph) -> dict[str | None, str]:
    """Tensor with which a loop begins, by the tensor that replaces it in later passes."""
    first: dict[str, str] = {}
    found: dict[str | None, str] = {}
    for node in graph.nodes:
        if node.op == ASSIGN:
            found[node.inputs[0]] = first.setdefault(node.outputs[0], node.inputs[0] or "")
    return found


def _array(graph: Graph, nodes: list[Node], carried: Mapping[str | None, str]) -> _Array | None:
    """Array for a list, given the nodes that read or write the list; None where it can be none."""
    if not all(map(_is_fixed, nodes)):
        return None
    types = {graph.tensors[_item(node)].dtype for node in nodes if node.op in _ITEMS}
    shapes = [graph.tensors[_item(node)].shape for node in nodes if node.op in (SET, GET)]
    if len(types) != 1 or not shapes or not BY_NAME.keys() & {each.name for each in types}:
        return None
    sets = (node.inputs[2] for node in nodes if node.op == SET)
    like = next((carried[name] for name in sets if name in carried), None)
    return _Array(types.pop(), shapes[0], like)


def _is_fixed(node: Node) -> bool:
    """True if the operator leaves lists at their length."""
    given = len(node.inputs) == _INPUTS.get(node.op) and None not in node.inputs
    return given and len(node.outputs) == 1 and _GROWS not in _options(node)


def _options(node: Node) -> bytes:
    return bytes(node.attributes.get("custom_options", b""))


def _item(node: Node) -> str:
    """Operand of a node that has the type of the list's elements."""
    operands, place = _ITEMS[node.op]
    return (node.inputs if operands == "inputs" else node.outputs)[place] or ""


class _Rewriter:
    """Rewriter of operators of lists as operators of arrays."""

    def __init__(self, graph: Graph, lists: Mapping[str, _Array]) -> None:
        changed = {
            name: replace(graph.tensors[name], dtype=array.dtype, shape=())
            for name, array in lists.items()
        }
        self.tensors = {**graph.tensors, **changed}
        self._taken = {*graph.tensors, *(node.name for node in graph.nodes)}
        self._lists = lists
        self._reserved: dict[str, Node] = {}  # list -> its operator, while it lacks an array
        constants = (name for name, tensor in graph.tensors.items() if tensor.constant is not None)
        self._known = {*graph.inputs, *constants}

    def before(self, node: Node | None) -> Iterator[Node]:
        """Operators that make lists that `node` reads first, or that their block does not read."""
        for name, reserve in tuple(self._reserved.items()):
            if node is None or name in node.inputs or node.block != reserve.block:
                yield from self._zeros(self._reserved.pop(name))

    def nodes(self, node: Node) -> Iterator[Node]:
        """Operators that replace a node, except those that make a list."""
        self._known.update(node.outputs)
        if node.op == ASSIGN or self._lists.keys().isdisjoint((*node.inputs, *node.outputs)):
            yield node
        elif node.op == RESERVE:
            self._reserved[node.outputs[0]] = node
        elif node.op == GET:
            options = {"axis": 0, "batch_dims": 0}
            yield self._node(node, "GATHER", node.inputs[:2], node.outputs[0], options)
        elif node.op == SET:
            yield from self._update(node)
        else:
            yield replace(node, op=ASSIGN, inputs=node.inputs[:1], attributes={})

    def _zeros(self, node: Node) -> Iterator[Node]:
        """Operators that make an array of zeros, for a list without items."""
        array, (_, length) = self._lists[node.outputs[0]], node.inputs
        n = dims = self._tensor(node, "length", (1,))
        yield self._node(node, "RESHAPE", (length, self._numbers(node, [1])), n)
        if array.item:
            item, dims = self._numbers(node, array.item), self._tensor(node, "dims", ())
            if array.like in self._known:
                item = self._tensor(node, "item", ())
                yield self._node(node, "SHAPE", (array.like,), item)
            yield self._node(node, "CONCATENATION", (n, item), dims, {"axis": 0})
        zero = self._constant(node, np.zeros((), array.dtype.numpy), array.dtype)
        yield self._node(node, "FILL", (dims, zero), node.outputs[0])

    def _update(self, node: Node) -> Iterator[Node]:
        """Operators that set an item."""
        x, index, item = node.inputs
        rank = len(self.tensors[item or ""].shape)
        row, start = self._tensor(node, "row", (), item), self._tensor(node, "start", (rank + 1,))
        zero = self._numbers(node, 0)
        yield self._node(node, "EXPAND_DIMS", (item, zero), row)
        options = {"axis": 0, "values_count": rank + 1}
        yield self._node(node, "PACK", (index, *[zero] * rank), start, options)
        yield self._node(node, "DYNAMIC_UPDATE_SLICE", (x, row, start), node.outputs[0])

    def _node(
        self,
        of: Node,
        op: str,
        inputs: tuple[str | None, ...],
        output: str,
        options: Mapping[str, int] | None = None,
    ) -> Node:
        """Operator that replaces another, whose source it keeps."""
        name = of.name if output in of.outputs else output
        made = replace(of, name=name, op=f"tflite.{op}", inputs=inputs, outputs=(output,))
        return replace(made, attributes=options or {}, version=1)

    def _numbers(self, node: Node, values: object) -> str:
        return self._constant(node, np.array(values, i32.numpy), i32)

    def _constant(self, node: Node, values: Array, dtype: DType) -> str:
        name = self._tensor(node, "value", values.shape)
        self.tensors[name] = replace(self.tensors[name], dtype=dtype, constant=Constant(values))
        return name

    def _tensor(
        self, node: Node, what: str, shape: tuple[int, ...], like: str | None = None
    ) -> str:
        """Name of a new tensor: of int32, or of the type of tensor `like`."""
        wanted = f"{node.outputs[0]}_{what}"
        name = next(each for n in count() if (each := f"{wanted}{n or ''}") not in self._taken)
        self._taken.add(name)
        dtype = i32 if like is None else self.tensors[like].dtype
        self.tensors[name] = Tensor(name, name, dtype, shape)
        return name

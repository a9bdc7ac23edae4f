"""Constants and shapes of tensors that become known while nodes are legalised one by one."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from opsmith.errors import ToolchainError
from opsmith.ir import Constant, Graph, Node, Numerics
from opsmith.ir.limits import size_problem
from opsmith.ir.types import ALL, i32, i64
from opsmith.legalize.empty import empty_constants
from opsmith.legalize.numerics import following
from opsmith.legalize.stored_sizes import with_stored_sizes
from opsmith.op.declare import OpError
from opsmith.op.describe import Op
from opsmith.op.fold import Room, is_known
from opsmith.op.index import OpIndex
from opsmith.op.node import from_nothing, named_inputs, view

EQUAL_SHAPES = "export branches and loops with equal, fixed shapes"
_SMALLER = "give smaller inputs, or operands that make less of them"


class Known:
    """Tensors of a graph, with the facts that the nodes added so far make known.

    Elements are computed where an op needs them at build time and they depend on nothing that is
    known only at run time: a shape that a model computes becomes a constant. Inferred shapes
    replace the stored shapes of inner tensors and outputs, as in runtimes, which never read the
    stored ones; in a dynamic graph the latter are placeholders.
    """

    def __init__(
        self, graph: Graph, ops: OpIndex, dynamic: bool, unknown: Iterable[str], rule: Numerics
    ) -> None:
        self._ops = ops
        self._rule = rule  # rule for computing elements
        self._dynamic = dynamic
        self._contradicted = False  # inferred shapes differ from stored ones
        self._unknown = set(unknown)  # tensors of unknown shape and elements
        self._tensors = dict(graph.tensors)
        self._computable: dict[str, Node] = {}  # tensor -> writer, if it can be constant
        self._narrowed: set[str] = set()  # 32-bit tensors that replace wider ones
        self._room = Room(graph)
        self._order: dict[str, int] = {}  # positions of nodes, by name
        self._settled: set[str] = set()  # mutable tensors whose shape is known
        self.graph = replace(graph, tensors=self._tensors)

    def judges(self, node: Node) -> bool:
        """True if all inputs and outputs of a node are known, so that the op can check it."""
        return self._unknown.isdisjoint((*node.inputs, *node.outputs))

    def supplied(self, node: Node, op: Op, *, judged: bool) -> Node:
        """Node whose inputs that must be constant are made constant where possible; all inputs, if
        `judged`.

        A constant input of int32 may be replaced by an int64 tensor's numbers in 32 bits. A tensor
        that gives the shape of an output may be replaced by the stored shape.
        """
        inputs = list(node.inputs)
        for i, (value, name) in enumerate(named_inputs(op, node)):
            if name in self._computable and (value.constant or judged):
                self._compute(self._computable[name])
            if value.constant and name is not None:
                inputs[i] = self._narrow(name) if value.type == i32 else name
        same = tuple(inputs) == node.inputs
        supplied = node if same else replace(node, inputs=tuple(inputs))
        if self._dynamic or self._contradicted:  # stored shapes are not reliable
            return supplied
        supplied, found = with_stored_sizes(self.graph, supplied, op)
        self._tensors.update(found.tensors)
        return supplied

    def _narrow(self, name: str) -> str:
        """Id of the tensor, or of a new constant with its numbers in 32 bits."""
        tensor = self._tensors[name]
        if tensor.constant is None or tensor.dtype != i64 or tensor.variable:
            return name
        low, high = i32.limits
        if tensor.elements and not low <= tensor.data.min() <= tensor.data.max() <= high:
            return name
        ident = f"{name}_{i32.short}"
        while ident in self._tensors and ident not in self._narrowed:
            ident += "_"
        self._narrowed.add(ident)
        narrow = Constant(tensor.data.astype(i32.numpy))
        self._tensors[ident] = replace(tensor, id=ident, dtype=i32, constant=narrow)
        return ident

    def _compute(self, wanted: Node) -> None:
        """Compute the elements that a node writes, after those of the nodes on which it depends."""
        found, waiting = {wanted.name: wanted}, [wanted]
        while waiting:
            for name in waiting.pop().inputs:
                before = self._computable.get(name or "")
                if before is not None and before.name not in found:
                    found[before.name] = before
                    waiting.append(before)
        for node in sorted(found.values(), key=lambda each: self._order[each.name]):
            self._fold(node)
            for name in node.outputs:
                del self._computable[name]

    def _fold(self, node: Node) -> None:
        ruled = following(self.graph, node, self._rule, self._ops)
        self._tensors.update(self._room.folded(self.graph, ruled, self._ops) or {})

    def initialise(self) -> Iterator[str]:
        """Compute variables' first values; yields sentences about values that are not constant."""
        for tensor in [t for t in self._tensors.values() if t.initial is not None]:
            name = tensor.initial or ""
            if name in self._computable:
                self._compute(self._computable[name])
            value = self._tensors[name]
            if value.constant is None:
                if name not in self._unknown:
                    yield f"the first value of variable '{tensor.name}' is not constant"
            elif value.type != tensor.type:
                what = f"the first value of variable '{tensor.name}'"
                yield f"{what} is {value.type}, not {tensor.type} like it"
            elif tensor.start == 0 and not any(value.data.tobytes()):
                self._tensors[tensor.id] = replace(tensor, initial=None)

    def settle(self, node: Node, op: Op, *, as_stored: bool) -> Node:
        """Give the outputs of a node the shapes that follow from its inputs.

        Returns the node with a remark on each output with another stored shape; `as_stored`, stored
        shapes stay, and checks of the node report the difference. Raises MDL003 for a shape that no
        tensor can have, and MDL009 for a shape that differs from that of another branch, or pass of
        a loop.
        """
        try:
            inferred = op.infer(view(self.graph, node, op))
        except OpError:  # reported when the node is judged
            return node
        self._settled |= {name for name in node.inputs if name and self._tensors[name].variable}
        remarks = []
        for name, found in zip(node.outputs, inferred, strict=False):
            before, is_open = self._tensors[name], self._is_open(name)
            same = before.shape == tuple(found.shape)  # true for nearly all tensors
            after = before if same else replace(before, shape=tuple(found.shape))
            if name in self._settled and before.joined and after.shape != before.shape:
                what = f"'{name}' is {before.type} by one branch or pass, {after.type} by another"
                raise ToolchainError.of("MDL009", what, where=node.source, fix=EQUAL_SHAPES)
            if name in self._settled or before.initial is not None or (as_stored and not is_open):
                continue  # reported when the node is judged
            self._settled |= {name} if before.mutable else set()
            if problem := size_problem(before.dtype, after.shape):
                what = f"'{name}': {problem}"
                raise ToolchainError.of("MDL003", what, where=node.source, fix=_SMALLER)
            self._tensors[name] = after
            if after.shape != before.shape and not is_open:
                self._contradicted = True
                what = f"'{name}' is {after.type}, as follows from the inputs"
                remarks.append(f"{what}; the model stores {before.type}")
        return replace(node, remarks=(*node.remarks, *remarks)) if remarks else node

    def add(self, node: Node) -> None:
        """Record a node as legal, and fold it where its outputs are known."""
        op = self._ops.of(self.graph, node)
        self._tensors.update(empty_constants(self.graph, node))
        if from_nothing(self.graph, node, op):
            self._fold(node)
            return
        inputs = [name for name in node.inputs if name is not None]
        self._order[node.name] = len(self._order)
        if op.evaluate is not None and not op.states:
            known = (is_known(self._tensors[n], op) or n in self._computable for n in inputs)
            mutable = any(self._tensors[name].mutable for name in node.outputs)
            if all(known) and not mutable:
                self._computable |= dict.fromkeys(node.outputs, node)

    def give_up(self, node: Node, *, dead: bool) -> None:
        """Record a node as not legal; the outputs of a `dead` node are never known."""
        lost = dead or self._contradicted
        self._unknown.update(name for name in node.outputs if lost or self._is_open(name))

    def _is_open(self, name: str) -> bool:
        """True if the stored shape of a tensor may be a placeholder, of which nothing need be
        reported.

        Converters store no sizes for a shape that they do not know, as for the shape of a scalar.
        """
        return self._dynamic or not self._tensors[name].shape

    def legal(self, nodes: Iterable[Node]) -> Graph:
        """Graph with the given nodes, except those whose outputs were all computed.

        Constants that no node reads are kept, since `outputs=` may name them.
        """
        left = [n for n in nodes if any(self._tensors[o].constant is None for o in n.outputs)]
        graph = replace(self.graph, nodes=()).with_nodes(tuple(left), **self._tensors)
        named = {tensor.name for tensor in graph.tensors.values()}
        unread = {
            tensor.id: tensor
            for tensor in self._tensors.values()
            if tensor.constant and tensor.dtype in ALL and tensor.name not in named
        }
        return replace(graph, tensors={**graph.tensors, **unread})

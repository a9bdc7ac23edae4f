"""Constants and shapes that are known of tensors while nodes become legal, one after the other."""

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
    """The tensors of a graph, as far as its nodes up to now make them known.

    Elements are computed where an op needs them at build time and they depend on nothing that is
    known only at run time: a shape that a model computes becomes a constant. What nodes infer
    takes the place of the stored shapes of inner tensors and outputs, as in runtimes, which never
    read these; in a dynamic graph they are placeholders.
    """

    def __init__(
        self, graph: Graph, ops: OpIndex, dynamic: bool, unknown: Iterable[str], rule: Numerics
    ) -> None:
        self._ops = ops
        self._rule = rule  # of the elements that are computed
        self._dynamic = dynamic
        self._contradicted = False  # by what follows from inputs: stored shapes are no guide
        self._unknown = set(unknown)  # tensors of whose shapes and elements nothing can be said
        self._tensors = dict(graph.tensors)
        self._computable: dict[str, Node] = {}  # tensor -> who writes it, where it can be constant
        self._narrowed: set[str] = set()  # tensors of 32 bits that take the place of others
        self._room = Room(graph)
        self._order: dict[str, int] = {}  # of nodes, by name
        self._settled: set[str] = set()  # mutable tensors that have their shape
        self.graph = replace(graph, tensors=self._tensors)

    def judges(self, node: Node) -> bool:
        """True if its inputs are known, so that shapes and elements can be held against the op."""
        return self._unknown.isdisjoint((*node.inputs, *node.outputs))

    def supplied(self, node: Node, op: Op, *, judged: bool) -> Node:
        """The node with those inputs constant that must be and can be; all, where it is `judged`.

        Where an op takes an input that must be constant as int32, one of int64 may have the same
        numbers. The shape of an output may be the stored one.
        """
        inputs = list(node.inputs)
        for i, (value, name) in enumerate(named_inputs(op, node)):
            if name in self._computable and (value.constant or judged):
                self._compute(self._computable[name])
            if value.constant and name is not None:
                inputs[i] = self._narrow(name) if value.type == i32 else name
        same = tuple(inputs) == node.inputs
        supplied = node if same else replace(node, inputs=tuple(inputs))
        if self._dynamic or self._contradicted:  # stored shapes are no guide
            return supplied
        supplied, found = with_stored_sizes(self.graph, supplied, op)
        self._tensors.update(found.tensors)
        return supplied

    def _narrow(self, name: str) -> str:
        """The id of the tensor, or of one that has its numbers in 32 bits."""
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
        """Compute the node, after those that it depends on."""
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
        """Compute the first values of variables; sentences about those that are not constant."""
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
        """Give outputs the shapes that follow from the node's inputs.

        Returns the node with a remark on each that the model stores otherwise; `as_stored`, they
        stay, and judging the node will tell. Raises MDL003 for a shape that no tensor can have,
        and MDL009 for one that differs from that which another branch, or pass of a loop, gives.
        """
        try:
            inferred = op.infer(view(self.graph, node, op))
        except OpError:  # which judging the node will tell
            return node
        self._settled |= {name for name in node.inputs if name and self._tensors[name].variable}
        remarks = []
        for name, found in zip(node.outputs, inferred, strict=False):
            before, is_open = self._tensors[name], self._is_open(name)
            same = before.shape == tuple(found.shape)  # nearly always
            after = before if same else replace(before, shape=tuple(found.shape))
            if name in self._settled and before.joined and after.shape != before.shape:
                what = f"'{name}' is {before.type} by one branch or pass, {after.type} by another"
                raise ToolchainError.of("MDL009", what, where=node.source, fix=EQUAL_SHAPES)
            if name in self._settled or before.initial is not None or (as_stored and not is_open):
                continue  # judging the node will tell
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
        """Note that this node is legal."""
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
        """Note that this node is not legal: what a dead one writes will never be there."""
        lost = dead or self._contradicted
        self._unknown.update(name for name in node.outputs if lost or self._is_open(name))

    def _is_open(self, name: str) -> bool:
        """True if the stored shape of a tensor that a node writes may be a placeholder, of which
        nothing need be said.

        Converters store no sizes for a shape that they do not know, as for that of a scalar.
        """
        return self._dynamic or not self._tensors[name].shape

    def legal(self, nodes: Iterable[Node]) -> Graph:
        """The graph with these nodes, except those that are computed.

        Constants that no node reads are there, too, for `outputs=` may name them.
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

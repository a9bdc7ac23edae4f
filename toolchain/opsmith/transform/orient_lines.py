"""Turning of images of one row or one column of pixels, and of sequences between them, one way.

A network that looks at time alone computes images of which one axis is 1, and whether that is the
height or the width is an accident of the export: Keras makes [1, 1, steps, channels] of a sequence
for each Conv1D, and sequences again after it. Kernels that compute neighbouring pixels of a row
together do three times the work where each row has one pixel; a model that is fed row by row needs
time along the rows. So each connected part of the graph that is made of lines is turned to the axis
at which its kernels cost less, or, where the application pushes its rows, to axis 1.

Exact: a line has the same bytes along either axis, and as a sequence. Nodes are turned one by one
by hook `lines`, elementwise ones by their trait, between nodes that only reshape tensors;
`remove_identities` drops reshapes that cancel.

Postcondition: each part is turned one way, except for nodes that cannot be turned.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from opsmith.ir import Constant, Graph, Node, Numerics, Tensor
from opsmith.op.attributes import typed
from opsmith.op.declare import OpError
from opsmith.op.index import OpIndex
from opsmith.op.lines import ACROSS, DOWN, EXCHANGED, KEPT, ImageAxes, Turned, turned_shape
from opsmith.op.node import named_inputs, node_problems, view
from opsmith.op.typed import TypedOp
from opsmith.transform.line_parts import LinePart, line_parts, thin_axes

Cost = Callable[[Graph, Node], float]  # cost of a node in a graph


@dataclass(frozen=True)
class _Way:
    name: str
    thin: int  # axis of images that has size 1
    steps: ImageAxes  # axis of images along which the steps of a sequence lie


_WAYS = (_Way("down", 2, DOWN), _Way("across", 1, ACROSS))


def orient_lines(graph: Graph, ops: OpIndex, cost: Cost, *, streams: bool) -> Graph:
    """Graph with all lines turned; with `streams`, lines that are pushed lie along axis 1."""
    if ops.shaping is None:
        return graph
    for part in line_parts(graph, ops):
        if streams and part.entered:
            graph = _turned(graph, part, _WAYS[0], ops, pushed=True).graph
        else:
            graph = _cheapest(graph, part, [_turned(graph, part, w, ops) for w in _WAYS], cost)
    return graph


@dataclass
class _Trial:
    """A graph under construction, in which nodes of a part are turned one way."""

    way: _Way
    ops: OpIndex
    graph: Graph
    nodes: list[Node] = field(default_factory=list)
    turned: dict[str, str] = field(default_factory=dict)  # tensor -> its turned version
    renamed: dict[str, str] = field(default_factory=dict)  # turned tensor -> the original tensor
    moved: int = 0  # number of nodes turned so far

    def __post_init__(self) -> None:
        self._taken = {*self.graph.tensors, *(node.name for node in self.graph.nodes)}

    def named(self, wanted: str) -> str:
        """Return an unused name that begins with `wanted`."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted

    def current(self, node: Node) -> Node:
        """Return the node with its inputs renamed to tensors of the shapes that it expects."""
        inputs = tuple(name and self.renamed.get(name, name) for name in node.inputs)
        return replace(node, inputs=inputs)

    def add(self, tensor: Tensor) -> None:
        """Add a tensor to the graph."""
        self.graph = replace(self.graph, tensors={**self.graph.tensors, tensor.id: tensor})

    def shaped(self, like: Tensor, shape: tuple[int, ...]) -> Tensor:
        """Return a new tensor with the elements of `like` in another shape."""
        ident = self.named(f"{like.id}_{self.way.name}")
        return Tensor(ident, like.name, like.dtype, shape, like.quantization)

    def give(self, x: str, y: str, near: Node) -> None:
        """Append a node that reshapes x to y."""
        name = self.ops.shaping
        assert name is not None
        op = self.ops[name]
        inputs = (x, *[None] * (len(op.inputs) - 1))
        defaults = {each.name: each.default for each in op.attributes}
        made = replace(near, name=self.named(f"{y}_view"), op=name, inputs=inputs, outputs=(y,))
        made = replace(made, attributes=defaults, remarks=(), kernel=None)
        made = replace(made, numerics=Numerics.REFERENCE)
        hook = op.hooks.views.shaped
        assert hook is not None
        given = hook(view(self.graph, made, op))
        known = {each.name: each for each in op.attributes}
        values = {each: typed(known[each], value) for each, value in given.items()}
        self.nodes.append(replace(made, attributes={**defaults, **values}))


def _turned(
    graph: Graph, part: LinePart, way: _Way, ops: OpIndex, *, pushed: bool = False
) -> _Trial:
    """Return the graph with the nodes of a part turned one way, where they can be."""
    trial = _Trial(way, ops, graph)
    for node in graph.nodes:
        axes = _axes(graph, node, way, pushed) if node.name in part.nodes else None
        current = trial.current(node)
        if axes is None or not _turn(trial, current, axes):
            trial.nodes.append(current)
    trial.graph = trial.graph.with_nodes(tuple(trial.nodes))
    return trial


def _axes(graph: Graph, node: Node, way: _Way, pushed: bool) -> ImageAxes | None:
    """Return the new axes of the tensors of a line's node; None where the node already lies that
    way.

    A node that computes rows which the application pushes has to compute images.
    """
    thin = thin_axes(graph, node)
    if thin is None:
        return way.steps
    if way.thin not in thin:
        return EXCHANGED
    return KEPT if pushed and len(graph.tensors[node.outputs[0]].shape) != 4 else None


def _turn(trial: _Trial, node: Node, axes: ImageAxes) -> bool:
    """Append the turned node between reshapes, if it can be turned; return whether it can."""
    graph, op = trial.graph, trial.ops.of(trial.graph, node)
    found = _changes(graph, node, op, axes)
    if found is None:
        return False
    before = trial.graph
    inputs, fresh = _inputs(trial, node, op, axes, found)
    remark = f"a line of pixels, turned {trial.way.name}"
    made = replace(
        node,
        inputs=inputs,
        attributes={**node.attributes, **found.attributes},
        remarks=(*node.remarks, remark) if op.hooks.lines is not None else node.remarks,
    )
    written, shaped = _written(trial, made, op)
    if written is None or node_problems(trial.graph, written, op, node.source):
        trial.graph = before
        return False
    for source, name in fresh.items():
        trial.give(source, name, node)
    trial.turned.update(fresh)
    trial.nodes.append(written)
    trial.moved += 1
    if shaped is not None:
        x, y = shaped
        trial.turned[y] = x
        trial.give(x, y, node)
    return True


def _written(trial: _Trial, made: Node, op: TypedOp) -> tuple[Node | None, tuple[str, str] | None]:
    """Return the node with an output of its inferred shape, and the pair of tensors between which a
    reshape must follow. A tensor that nobody outside sees keeps its name, by which it is compared.
    """
    (name,) = made.outputs
    wanted = trial.graph.tensors[name]
    try:
        (kind,) = op.infer(view(trial.graph, made, op))
    except OpError:
        return None, None
    if math.prod(kind.shape) != wanted.elements:
        return None, None
    if kind.shape == wanted.shape:
        return made, None
    other = trial.shaped(wanted, kind.shape if name in trial.graph.outputs else wanted.shape)
    trial.add(other)
    if name in trial.graph.outputs:
        return replace(made, outputs=(other.id,)), (other.id, name)
    trial.add(replace(wanted, shape=kind.shape))
    trial.renamed[name] = other.id
    return made, (name, other.id)


def _changes(graph: Graph, node: Node, op: TypedOp, axes: ImageAxes) -> Turned | None:
    if op.hooks.lines is not None:
        return op.hooks.lines(view(graph, node, op), axes)
    rank, constants = len(axes), {}
    for value, name in named_inputs(op, node):
        tensor = None if name is None else graph.tensors[name]
        if tensor is not None and tensor.constant is not None and len(tensor.shape) > 1:
            if value.variadic or len(tensor.shape) > rank:
                return None
            shape = turned_shape(tensor.shape, rank, axes)
            constant = Constant(tensor.data.reshape(shape))
            constants[value.name] = replace(tensor, shape=shape, constant=constant)
    return Turned(constants=constants)


def _inputs(
    trial: _Trial, node: Node, op: TypedOp, axes: ImageAxes, found: Turned
) -> tuple[tuple[str | None, ...], dict[str, str]]:
    """Return the inputs of the turned node, and the tensors that reshapes must make of others."""
    inputs: list[str | None] = []
    fresh: dict[str, str] = {}
    for value, name in named_inputs(op, node):
        tensor = None if name is None else trial.graph.tensors[name]
        if tensor is None or name is None:
            inputs.append(None)
            continue
        if value.name in found.constants and not value.variadic:
            made = found.constants[value.name]
            ident = trial.named(f"{node.name}_{value.name}")
            trial.add(replace(made, id=ident, name=ident))
            inputs.append(ident)
            continue
        shape = tensor.shape
        if tensor.constant is None and len(shape) > 1:
            shape = turned_shape(shape, len(axes), axes)
        known = {**trial.turned, **fresh}.get(name)
        if shape == tensor.shape:
            inputs.append(name)
        elif known is not None and trial.graph.tensors[known].shape == shape:
            inputs.append(known)
        else:
            other = trial.shaped(tensor, shape)
            trial.add(other)
            fresh[name] = other.id
            inputs.append(other.id)
    return tuple(inputs), fresh


def _cheapest(graph: Graph, part: LinePart, trials: Sequence[_Trial], cost: Cost) -> Graph:
    """Return the graph of the cheapest trial, among equal ones that with the fewest changes."""

    def figures(trial: _Trial) -> Iterator[float]:
        for node in trial.graph.nodes:
            if node.name in part.nodes:
                yield cost(trial.graph, node)

    best = min(trials, key=lambda trial: (sum(figures(trial)), trial.moved))
    return best.graph if best.moved else graph

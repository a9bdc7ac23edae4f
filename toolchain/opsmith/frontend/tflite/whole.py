"""Graph of several subgraphs: names, blocks, copies, and checks that they fit together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from opsmith.errors import Problem, ToolchainError
from opsmith.frontend.model import Model, SubgraphCall
from opsmith.frontend.names import free_name
from opsmith.frontend.tflite.problems import wrong
from opsmith.ir import Graph, Node, Tensor
from opsmith.ir.flow import Flow
from opsmith.ir.types import boolean

ASSIGN = "tflite.ASSIGN_VARIABLE"  # with an output, it copies to that tensor
Variable = tuple[str, str]  # container and name


@dataclass(frozen=True)
class Scope:
    """Use of a subgraph, with the graph's names for its tensors."""

    model: Model  # with the subgraph's own names
    number: int  # of the subgraph
    names: dict[str, str]  # its tensors -> tensors of the whole graph
    where: str = ""  # suffix of the sources of its operators
    handles: dict[str, Variable] = field(default_factory=dict)  # its tensors that name variables
    copied: list[tuple[str, str]] = field(default_factory=list)  # copied before its first node
    blocks: list[int] = field(default_factory=list)  # blocks of its nodes

    @property
    def graph(self) -> Graph:
        """Graph of the subgraph."""
        return self.model.graph

    def call(self) -> SubgraphCall:
        """SubgraphCall of the scope, once all of its nodes are known."""
        own = self.model.ids
        tensors = tuple(self.names.get(ident, "") for ident in own)
        inputs = tuple(own.index(name) for name in self.graph.inputs)
        return SubgraphCall(self.number, tensors, inputs, tuple(self.blocks))


class Whole:
    """Graph of all subgraphs that have been inlined so far."""

    def __init__(self, path: Path, main: Model, called: Mapping[int, Model]) -> None:
        self.main, self.called = main, called
        self.tensors = dict(main.graph.tensors)
        self.nodes: list[Node] = []
        self.problems: list[Problem] = []
        self.unknown = set(main.unknown)
        self.departures: dict[str, None] = {}
        self._path = path
        self._dynamic = any(model.dynamic for model in (main, *called.values()))
        self._kept: dict[int, dict[str, str]] = {}  # subgraph -> names
        self._numbers: dict[str, int] = {}  # taken name -> last number appended to it
        self._node_names: set[str] = set()
        self._block = -1
        self._scopes: list[Scope] = []

    def model(self, scope: Scope, flow: Flow) -> Model:
        """Model with the main subgraph of a scope, and the flow of all blocks."""
        main = self.main
        graph = replace(main.graph, tensors=self.tensors, flow=flow)
        inner = [
            replace(problem, where=f"{problem.where} of subgraph {number}")
            for number, model in self.called.items()
            for problem in model.problems
        ]
        called = tuple(each for model in self.called.values() for each in model.departures)
        return replace(
            main,
            graph=graph.with_nodes(tuple(self.nodes)),
            ids=tuple(scope.names.get(name, name) for name in main.ids),
            calls=tuple(each.call() for each in self._scopes),
            dynamic=self._dynamic,
            problems=(*main.problems, *inner, *self.problems),
            unknown=tuple(self.unknown),
            departures=tuple(self.departures) + main.departures + called,
        )

    # names

    def named(self, scope: Scope, name: str) -> str:
        """Tensor of the whole graph that stands for a tensor of a subgraph."""
        if name not in scope.names:
            scope.names[name] = self._own(scope.model, name)
        return scope.names[name]

    def kept(self, number: int) -> dict[str, str]:
        """Variable tensors of a called subgraph, which all of its uses share, by own name."""
        if number not in self._kept:
            model = self.called[number]
            names = [tensor.id for tensor in model.graph.tensors.values() if tensor.variable]
            self._kept[number] = {name: self._own(model, name) for name in names}
        return {**self._kept[number]}

    def _own(self, model: Model, name: str) -> str:
        """Name of a new tensor for a tensor of a subgraph."""
        ident = self.new(model.graph.tensors[name])
        self.unknown |= {ident} if name in model.unknown else set()
        return ident

    def is_output(self, scope: Scope, name: str) -> bool:
        """True if a tensor is an output of the model, which keeps its id."""
        return scope.graph is self.main.graph and name in scope.graph.outputs

    def operands(self, scope: Scope, node: Node) -> list[str]:
        """Tensors that an operator of a subgraph reads. Raises MDL009 for an absent one."""
        if None in node.inputs:
            raise self.wrong("MDL009", scope, node, "an operand is absent")
        return [self.named(scope, name) for name in node.inputs if name is not None]

    def joined(self, scope: Scope, name: str) -> str:
        """Name of a tensor of the whole graph that nodes of several blocks write."""
        ident = self.named(scope, name)
        self.tensors[ident] = replace(self.tensors[ident], joined=True)
        return ident

    def new(self, tensor: Tensor) -> str:
        """Id of a new tensor with the properties of the given one."""
        ident = free_name(tensor.id, self.tensors, self._numbers)
        self.tensors[ident] = replace(tensor, id=ident)
        return ident

    # nodes

    def next_block(self, scope: Scope) -> int:
        """Number of a new block, to which further nodes of the scope are added."""
        self._block += 1
        self._scopes += [] if scope.blocks else [scope]
        scope.blocks.append(self._block)
        return self._block

    def append(self, scope: Scope, node: Node) -> None:
        """Add a node of a subgraph to the current block."""
        inputs = tuple(None if name is None else self.named(scope, name) for name in node.inputs)
        outputs = tuple(self.named(scope, name) for name in node.outputs)
        self._add(replace(node, inputs=inputs, outputs=outputs, source=node.source + scope.where))

    def read(self, scope: Scope, node: Node, variable: str) -> None:
        """Add a node that copies a variable to the node's output."""
        outputs = tuple(self.named(scope, name) for name in node.outputs)
        source = node.source + scope.where
        self._add(replace(node, inputs=(variable,), outputs=outputs, source=source))

    def copy(self, x: str, y: str, source: str) -> None:
        """Add a node that copies tensor x to tensor y."""
        self._add(Node(y, ASSIGN, (x,), (y,), {}, source))

    def move(self, moves: Sequence[tuple[str, str]], source: str) -> None:
        """Add nodes that copy tensors to other tensors as if all at once."""
        left = [(x, y) for x, y in moves if x != y]
        written, saved = {y for _, y in left}, dict[str, str]()
        for x, _ in left:
            if x in written and x not in saved:
                saved[x] = self.new(replace(self.tensors[x], joined=False))
                self.copy(x, saved[x], source)
        for x, y in left:
            self.copy(saved.get(x, x), y, source)

    def _add(self, node: Node) -> None:
        wanted = node.outputs[0] if node.outputs else node.name
        name = free_name(wanted, self._node_names, self._numbers)
        self._node_names.add(name)
        self.nodes.append(replace(node, name=name, block=self._block))

    # what must agree

    def alike(self, x: Tensor, y: Tensor) -> bool:
        """True if one tensor can stand for the other: equal type and quantisation."""
        return x.quantization == y.quantization and x.dtype == y.dtype

    def check_types(self, scope: Scope, node: Node, what: str, y: Tensor, x: Tensor) -> None:
        """Raise MDL009 unless y, described by `what`, has x's element type; shapes may differ."""
        if x.dtype != y.dtype:
            what = f"{what} is {y.type}, not {x.type} like '{x.id}'"
            raise self.wrong("MDL009", scope, node, what)

    def check_variable(self, scope: Scope, node: Node, variable: Tensor, x: Tensor) -> None:
        """Raise unless the variable has the type of x and, if no size is open, its shape."""
        if x.dtype != variable.dtype or (x.shape != variable.shape and not self._dynamic):
            what = f"variable '{variable.name}' is {variable.type}, not {x.type} like '{x.id}'"
            raise self.wrong("MDL016", scope, node, what)

    def check_condition(self, scope: Scope, node: Node, ident: str) -> None:
        """Raise unless a tensor is one boolean."""
        found = self.tensors[ident]
        if found.dtype != boolean or (found.elements != 1 and not self._dynamic):
            what = f"the condition '{ident}' is {found.type}, not one boolean"
            raise self.wrong("MDL009", scope, node, what)

    def check_count(self, scope: Scope, node: Node, number: int, ends: str, wanted: int) -> None:
        """Raise unless a subgraph has `wanted` inputs or outputs, as `ends` says."""
        found = len(getattr(self.called[number].graph, ends))
        if found != wanted:
            what = f"subgraph {number} has {found} {ends} instead of {wanted}"
            raise self.wrong("MDL009", scope, node, what)

    def wrong(self, code: str, scope: Scope, node: Node, what: str) -> ToolchainError:
        """Error about an operator of a subgraph."""
        return wrong(self._path, code, what, node.source + scope.where)

"""Composites, which are replaced by the operators of the subgraph that decomposes them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.frontend.names import free_name
from opsmith.frontend.tflite import departures
from opsmith.frontend.tflite.calls import COPY, DEEPEST, FEWER, MOST_COPIED, Subgraphs
from opsmith.frontend.tflite.problems import wrong
from opsmith.ir import Graph, Node

COMPOSITE = "tflite.STABLEHLO_COMPOSITE"
NUMBER = "decomposition_subgraph_index"
_NO_STATE = "convert the layer without a composite, or make its state an input and an output"
Copies = list[tuple[str, str]]  # pairs of source and target


def decomposed(path: Path, subgraphs: Subgraphs) -> Subgraphs:
    """Subgraphs without composites. Each has its problems MDL008, MDL009 and MDL016."""
    running: list[int] = []
    refused: dict[int, ToolchainError] = {}

    @cache
    def found(number: int) -> Model | None:
        model = subgraphs(number)
        if model is None or all(node.op != COMPOSITE for node in model.graph.nodes):
            return model
        if number in refused:
            raise refused[number]
        running.append(number)
        try:
            return _Expanded(path, model, body).model(outermost=len(running) == 1)
        except ToolchainError as error:
            refused[number] = error
            raise
        finally:
            running.pop()

    def body(node: Node) -> Model:
        number = node.attributes.get(NUMBER, -1)
        if number in running:
            raise wrong(path, "MDL008", f"subgraph {number} runs itself", node.source)
        if len(running) > DEEPEST:
            what = f"subgraphs run each other {len(running)} deep"
            raise wrong(path, "MDL008", what, node.source)
        model = None if number < 0 else found(number)
        if model is None:
            raise wrong(path, "MDL008", f"subgraph {number} does not exist", node.source)
        return model

    return found


class _Expanded:
    """A subgraph whose composites are being replaced."""

    def __init__(self, path: Path, model: Model, body: Callable[[Node], Model]) -> None:
        self._path, self._model, self._body = path, model, body
        self._tensors = dict(model.graph.tensors)
        self._nodes: list[Node] = []
        self._names = {node.name for node in model.graph.nodes if node.op != COMPOSITE}
        self._problems = dict.fromkeys(model.problems)
        self._unknown = dict.fromkeys(model.unknown)
        self._departures = dict.fromkeys(model.departures)
        self._dynamic = model.dynamic
        self._expanded: set[int] = set()  # subgraphs, expanded once or more
        self._copied = 0
        self._numbers: dict[str, int] = {}  # taken name -> last number appended to it

    def model(self, *, outermost: bool) -> Model:
        """Model of the subgraph; if it is the `outermost`, with the problems of its composites."""
        for node in self._model.graph.nodes:
            if node.op != COMPOSITE:
                self._nodes.append(node)
                continue
            try:
                self._replace(node, self._body(node))
            except ToolchainError as error:
                if not outermost:
                    raise
                self._problems |= dict.fromkeys(error.problems)
                self._unknown |= dict.fromkeys(node.outputs)
        return replace(
            self._model,
            graph=replace(self._model.graph, tensors=self._tensors).with_nodes(tuple(self._nodes)),
            problems=tuple(self._problems),
            unknown=tuple(self._unknown),
            departures=tuple(self._departures),
            dynamic=self._dynamic,
        )

    def _replace(self, node: Node, body: Model) -> None:
        """Add the operators of the body in the place of a composite."""
        where = f" of subgraph {node.attributes[NUMBER]}"
        self._check(node, body.graph)
        names, before, after = self._named(node, body.graph)
        self._unknown |= dict.fromkeys(names[name] for name in body.unknown if name in names)
        of_body = departures.of_branch(body, node.attributes[NUMBER])
        self._departures |= dict.fromkeys((*body.departures, *of_body))
        self._problems |= {replace(each, where=each.where + where): None for each in body.problems}
        self._dynamic |= body.dynamic
        self._copy(before, node.source)
        for each in body.graph.nodes:
            inputs = tuple(None if name is None else names[name] for name in each.inputs)
            outputs = tuple(names[name] for name in each.outputs)
            source = each.source + where
            self._add(replace(each, inputs=inputs, outputs=outputs, source=source))
        self._copy(after, node.source)

    def _check(self, node: Node, body: Graph) -> None:
        """Raise unless the inputs and outputs of a body fit those of its composite."""
        ends = (("inputs", node.inputs, body.inputs), ("outputs", node.outputs, body.outputs))
        for what, outer, inner in ends:
            if len(outer) != len(inner):
                said = f"its subgraph has {len(inner)} {what} instead of {len(outer)}"
                raise wrong(self._path, "MDL009", said, node.source)
            for name, own in zip(outer, inner, strict=True):
                if name is None:
                    raise wrong(self._path, "MDL009", "an operand is absent", node.source)
                x, y = self._tensors[name], body.tensors[own]
                if x.dtype != y.dtype:
                    said = f"'{name}' is {x.type}, and '{own}' of its subgraph {y.type}"
                    raise wrong(self._path, "MDL009", said, node.source)
        if any(tensor.variable for tensor in body.tensors.values()):
            raise wrong(self._path, "MDL016", "its subgraph keeps a state", node.source, _NO_STATE)
        number = node.attributes[NUMBER]
        self._copied += len(body.nodes) if number in self._expanded else 0
        self._expanded.add(number)
        if self._copied > MOST_COPIED:
            said = f"more than {MOST_COPIED:,} copies of operators would run"
            raise wrong(self._path, "MDL008", said, node.source, FEWER)

    def _named(self, node: Node, body: Graph) -> tuple[dict[str, str], Copies, Copies]:
        """Names of the graph's tensors for the body's, and copies needed before and after it."""
        computed = {name for each in body.nodes for name in each.outputs}
        names: dict[str, str] = {}
        before: Copies = []
        after: Copies = []
        for name, own in zip(node.inputs, body.inputs, strict=True):
            assert name is not None
            if own not in names and self._alike(name, body, own):
                names[own] = name
            else:
                before.append((name, own))
        for name, own in zip(node.outputs, body.outputs, strict=True):
            if own in computed and own not in names and self._alike(name, body, own):
                names[own] = name
            else:
                after.append((own, name))
        for own, tensor in body.tensors.items():
            if own not in names:
                names[own] = free_name(own, self._tensors, self._numbers)
                self._tensors[names[own]] = replace(tensor, id=names[own])
        return (
            names,
            [(x, names[own]) for x, own in before if names[own] != x],
            [(names[own], y) for own, y in after],
        )

    def _alike(self, name: str, body: Graph, own: str) -> bool:
        """True if a tensor of the graph can stand for a tensor of the body."""
        return self._tensors[name].quantization == body.tensors[own].quantization

    def _copy(self, pairs: Copies, source: str) -> None:
        for x, y in pairs:
            self._add(Node(y, COPY, (x,), (y,), {}, source))

    def _add(self, node: Node) -> None:
        wanted = node.outputs[0] if node.outputs else node.name
        name = free_name(wanted, self._names, self._numbers)
        self._names.add(name)
        self._nodes.append(replace(node, name=name))

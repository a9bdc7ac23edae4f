"""Values that LiteRT computes for the nodes of branches and loops, run after run.

After a run, LiteRT's interpreter holds the values that the last call of each subgraph left. So each
call is repeated on an interpreter of its own: its conditions and inputs come from the calls around
and before it, and all of its tensors can be read.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model, SubgraphCall
from opsmith.ir import Array, Node
from opsmith.ir.flow import Branch, Flow, Loop
from opsmith.oracle.flow import Keep, Place, Recorded, keep_all, places
from opsmith.oracle.litert import Reference, Subgraph
from opsmith.text import escaped

NO_REFERENCE = "RIG024"
COPY = "tflite.ASSIGN_VARIABLE"  # for values that enter or leave a subgraph, and for variables


def litert_runs(
    path: Path, model: Model, inputs: Sequence[Array], keep: Keep = keep_all
) -> Recorded:
    """Values that nodes of the model wrote. Raises RIG020, RIG024 where LiteRT is no reference."""
    check_departures(path, model)
    _check(path, model)
    walk = _Walk(path, model, inputs, keep)
    walk.run(model.graph.flow)
    return walk.found


def check_departures(path: Path, model: Model) -> None:
    """Raise RIG024 for a model that LiteRT computes wrongly, or with undefined results."""
    if model.departures:
        raise _no_reference(path, "; ".join(model.departures))


def _check(path: Path, model: Model) -> None:
    if not model.calls:
        raise _untold(path, "the front end does not say which subgraphs they call")
    main = {*model.calls[0].blocks}
    for node in model.graph.nodes:
        names = [name for name in (*node.inputs, *node.outputs) if name is not None]
        if node.block not in main and any(model.graph.tensors[name].variable for name in names):
            raise _untold(path, f"{node.source} has a state, which another call would change")


class _Walk:
    """Walk through the blocks of a graph, which calls subgraphs when their blocks are due."""

    def __init__(self, path: Path, model: Model, inputs: Sequence[Array], keep: Keep) -> None:
        graph, nodes = model.graph, model.graph.nodes
        self._path = path
        self._keep = keep
        self._tensors = graph.tensors  # without tensors that no node reads
        self._calls = {block: call for call in model.calls for block in call.blocks}
        self._nodes: dict[int, list[tuple[Node, list[Place]]]] = {}
        self.found: dict[Place, list[Array | None]] = {}
        of = places((node.block, node.outputs) for node in nodes)
        for node, written in zip(nodes, of, strict=True):
            self._nodes.setdefault(node.block, []).append((node, written))
            self.found |= {place: [] for place in written}
        self._values: dict[str, Array] = {
            tensor.id: tensor.data
            for tensor in graph.tensors.values()
            if tensor.constant is not None
        }
        self._values |= dict(zip(graph.inputs, inputs, strict=True))
        self._interpreters: dict[tuple[int, tuple[tuple[int, ...], ...]], Reference] = {}
        self._running: dict[int, Reference] = {}  # first block of a call -> its interpreter

    def run(self, flow: Flow) -> None:
        """Run a flow of blocks, branches and loops."""
        for item in flow:
            match item:
                case Branch():
                    self.run(item.then if self._holds(item.condition) else item.otherwise)
                case Loop():
                    self.run(item.test)
                    while self._holds(item.condition):
                        self.run(item.body)
                        self.run(item.test)
                case _:
                    self._run_block(item)

    def _holds(self, condition: str) -> bool:
        return bool(self._value(condition).all())

    def _run_block(self, block: int) -> None:
        call = self._calls[block]
        if block == call.blocks[0]:
            self._running.pop(block, None)
        for node, written in self._nodes.get(block, ()):
            for place in written:
                name = place[1]
                value = self._written(call, node, name)
                self.found[place].append(value)
                if value is not None:
                    self._keep(value.nbytes)
                self._values.pop(name, None)
                self._values |= {} if value is None else {name: value}

    def _written(self, call: SubgraphCall, node: Node, name: str) -> Array | None:
        """Value that a node writes to a tensor; None where the file lacks the tensor."""
        if node.op == COPY:
            return self._values.get(node.inputs[0] or "")
        known = name in call.tensors
        return self._called(call).tensor(call.tensors.index(name)) if known else None

    def _called(self, call: SubgraphCall) -> Reference:
        """Interpreter of the called subgraph, run with the call's inputs at first use."""
        first = call.blocks[0]
        if first not in self._running:
            inputs = [each for each in call.inputs if call.tensors[each] in self._tensors]
            given = [self._value(call.tensors[each]) for each in inputs]
            key = call.subgraph, tuple(value.shape for value in given)
            if key not in self._interpreters:
                of = Subgraph(call.subgraph, tuple(inputs), ())
                self._interpreters[key] = Reference(self._path, subgraph=of, shapes=key[1])
            self._interpreters[key].run(given)
            self._running[first] = self._interpreters[key]
        return self._running[first]

    def _value(self, name: str) -> Array:
        if name not in self._values:
            raise _untold(self._path, f"the file has no tensor '{name}'")
        return np.asarray(self._values[name])


def _untold(path: Path, why: str) -> ToolchainError:
    return _no_reference(path, f"what nodes of branches and loops compute is not known: {why}")


def _no_reference(path: Path, why: str) -> ToolchainError:
    what, fix = f"LiteRT is no reference for this model: {why}", "take against=numpy"
    return ToolchainError.of(NO_REFERENCE, escaped(what), where=escaped(str(path)), fix=fix)

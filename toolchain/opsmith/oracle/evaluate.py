"""Graph evaluator: every node by its op's numpy `evaluate`, one after the other."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Graph, Node, Tensor
from opsmith.ir.flow import Branch, Flow, Loop
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.op.traces import line
from opsmith.op.typed import TypedOp
from opsmith.op.view import NodeView
from opsmith.oracle.litert import Detail

Watch = Callable[[Node, Mapping[str, Array]], None]


class Evaluator:
    """Evaluator of a legal graph in numpy. States survive run() as they survive invoke() on a
    board.

    `watch` is called with each node that has run, as often as it runs, and the values after it.
    """

    def __init__(
        self, graph: Graph, ops: OpIndex, watch: Watch = lambda node, values: None
    ) -> None:
        self._graph = graph
        self._ops = ops
        self._watch = watch
        typed = [(node, ops.of(graph, node)) for node in graph.nodes]
        self._steps: dict[int, list[tuple[Node, TypedOp, NodeView]]] = {}  # block -> its nodes
        for node, op in typed:
            self._steps.setdefault(node.block, []).append((node, op, view(graph, node, op)))
        self._variables = {t.id: _first(graph, t) for t in graph.tensors.values() if t.variable}
        steps = (step for each in self._steps.values() for step in each)
        self._states = {node.name: _initial(op, seen) for node, op, seen in steps}

    def run(self, inputs: Sequence[Array]) -> dict[str, Array]:
        """Value of every tensor, by id. Raises OPS040 and OPS041 about an op's `evaluate`."""
        tensors = self._graph.tensors.values()
        values = {t.id: t.data for t in tensors if t.constant is not None}
        values |= self._variables
        values |= dict(zip(self._graph.inputs, inputs, strict=True))
        self._run(self._graph.flow, values)
        self._variables = {name: values[name] for name in self._variables}
        return values

    def _run(self, flow: Flow, values: dict[str, Array]) -> None:
        """Run a flow of blocks, branches and loops, which changes `values`."""
        for item in flow:
            match item:
                case Branch():
                    holds = bool(values[item.condition].all())
                    self._run(item.then if holds else item.otherwise, values)
                case Loop():
                    self._run(item.test, values)
                    while values[item.condition].all():
                        self._run(item.body, values)
                        self._run(item.test, values)
                case _:
                    self._run_block(item, values)

    def _run_block(self, block: int, values: dict[str, Array]) -> None:
        for node, op, seen in self._steps.get(block, ()):
            results = self._results(node, op, seen, values)
            touched = (self._graph.tensors[name] for name in (*node.inputs, *node.outputs) if name)
            if any(tensor.variable for tensor in touched):
                results = [result.copy() for result in results]  # they may be views of inputs
            values |= dict(zip(node.outputs, results, strict=True))
            self._watch(node, values)

    def _results(
        self, node: Node, op: TypedOp, seen: NodeView, values: Mapping[str, Array]
    ) -> list[Array]:
        """Results of the op's evaluate for a node. Exceptions of the author's code are reported."""
        given = [values[name] for name in node.inputs if name is not None]
        found = self._ops.by_name[node.op]
        if op.evaluate is None:
            what = f"op '{op.name}' has no evaluate, so nothing says what is right"
            fix = "write evaluate= in op.py"
            raise ToolchainError.of("OPS040", what, where=str(found.file), fix=fix)
        state = [self._states[node.name]] if op.states else []
        try:
            results = op.evaluate(seen, given, *state)
            pairs = zip(node.outputs, results, strict=True)
            return [of_type(result, self._graph, name) for name, result in pairs]
        except ToolchainError:
            raise
        except Exception as error:
            what = f"evaluate of '{op.name}' fails: {type(error).__name__}: {error}"
            fix = f"correct it; it was asked about {node.source or node.name}"
            where = line(error, found.file)
            raise ToolchainError.of("OPS041", what, where=where, fix=fix) from error


def _first(graph: Graph, variable: Tensor) -> Array:
    """Value of a variable before the first run."""
    if variable.initial is not None:
        return graph.tensors[variable.initial].data.copy()
    found = np.zeros(variable.shape, variable.dtype.numpy)
    found.reshape(-1).view(np.uint8)[:] = variable.start & 0xFF
    return found


def _initial(op: TypedOp, seen: NodeView) -> dict[str, Array]:
    """States of a node before its first run, by name."""
    return {
        state.name: np.zeros(state.elements(seen), op.state_type(state).numpy)
        if state.initial is None
        else np.array(state.initial(seen), op.state_type(state).numpy)
        for state in op.states
    }


class NumpyReference:
    """Legal graph in numpy with the interface of `litert.Reference`, for ops that LiteRT lacks."""

    def __init__(self, graph: Graph, ops: OpIndex) -> None:
        self._names = graph.outputs
        self._evaluator = Evaluator(graph, ops)
        self.inputs = tuple(_detail(graph.tensors[name]) for name in graph.inputs)
        self.outputs = tuple(_detail(graph.tensors[name]) for name in graph.outputs)

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """Values of the graph's outputs for the given inputs, in order."""
        values = self._evaluator.run(inputs)
        return [values[name] for name in self._names]


def evaluate(graph: Graph, ops: OpIndex, inputs: Sequence[Array]) -> dict[str, Array]:
    """Value of every tensor of a legal graph, by id, for given values of its inputs."""
    return Evaluator(graph, ops).run(inputs)


def _detail(tensor: Tensor) -> Detail:
    quantization = tensor.quantization
    per_tensor = quantization is not None and not quantization.per_channel
    scale, zero_point = (tensor.scale, tensor.zero_point) if per_tensor else (None, None)
    return Detail(tensor.name, tensor.shape, tensor.dtype.numpy, scale, zero_point)


def of_type(value: Array, graph: Graph, name: str) -> Array:
    """Value itself, after a check of its type and shape against the graph. Raises ValueError."""
    tensor, found = graph.tensors[name], np.asarray(value)
    if (found.dtype, found.shape) != (np.dtype(tensor.dtype.numpy), tensor.shape):
        made = f"{found.dtype.name}{list(found.shape)}"
        said = f"{tensor.dtype.name}{list(tensor.shape)}"
        raise ValueError(f"it gave {made} for {name}, which is {said}")
    return found

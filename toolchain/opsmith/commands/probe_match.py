"""Calls of an op's `find` on examples of the ops whose nodes it replaces."""

from collections.abc import Iterator

from opsmith.errors import Problem, ToolchainError
from opsmith.ir import Tensor
from opsmith.op.describe import Op
from opsmith.op.examples import example_graphs
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.op.view import GraphReader, NodeView

_LONGEST = 8  # nodes before the root: `find` may walk for as long as there are some


def probe_match(op: Op, ops: OpIndex) -> list[Problem]:
    """Problems of `find`, which raises an exception or violates its rule for an example of its
    root, at the start of a graph or after examples of the ops that it asks for.
    """
    problems: dict[Problem, None] = {}
    if op.match is not None and op.match.root in ops.by_name:
        for root in _views(op.match.root, ops):
            for longest in (0, _LONGEST):
                try:
                    op.match.find(root, _reader(ops, longest))
                except ToolchainError as error:
                    problems |= dict.fromkeys(error.problems)
    return list(problems)


def _views(name: str, ops: OpIndex) -> Iterator[NodeView]:
    for graph in example_graphs(ops[name]):
        yield view(graph, graph.nodes[0], ops.of(graph, graph.nodes[0]))


def _reader(ops: OpIndex, longest: int) -> GraphReader:
    """Reader of a graph where a tensor is written by an example of any op with such an output."""
    left = iter(range(longest))

    def producer(tensor: Tensor, op: str) -> NodeView | None:
        if op not in ops.by_name or next(left, None) is None:
            return None
        output = ops[op].outputs[0].name
        return next((v for v in _views(op, ops) if _type(v, output) == tensor.type), None)

    return GraphReader(producer, lambda name: 1)


def _type(seen: NodeView, output: str) -> object:
    tensor = seen.tensors[output]
    return tensor.type if isinstance(tensor, Tensor) else None

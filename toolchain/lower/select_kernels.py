"""Choose a kernel for every node: the first row of its op that fits types, features and node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toolchain.ir import DType, Graph, KernelChoice, Node
from toolchain.op.describe import Kernel, Op
from toolchain.op.discover import OpIndex
from toolchain.op.node import bind_domains, view


def select_kernels(graph: Graph, ops: OpIndex, features: frozenset[str]) -> Graph:
    """The graph with a kernel for every node, and why it was not an earlier row."""
    return replace(
        graph, nodes=tuple(_choose(graph, node, ops[node.op], features) for node in graph.nodes)
    )


def _choose(graph: Graph, node: Node, op: Op, features: frozenset[str]) -> Node:
    bound, _ = bind_domains(graph, node, op)
    dtypes = tuple(bound.items())
    refused: list[str] = []
    for row, kernel in enumerate(op.kernels):
        reasons = list(_refusals(graph, node, op, kernel, bound, features))
        if not reasons:
            symbol = op.symbol(kernel, bound.values())
            why = "; ".join(refused) or "first choice"
            return replace(node, kernel=KernelChoice(symbol, kernel.source, row, dtypes, why))
        refused.append(f"{kernel.source} {' and '.join(reasons)}")
    raise AssertionError(
        f"{op.name}: the last kernel refuses node {node.name}"
    )  # check_op forbids it


def _refusals(
    graph: Graph,
    node: Node,
    op: Op,
    kernel: Kernel,
    bound: dict[str, DType],
    features: frozenset[str],
) -> Iterator[str]:
    missing = set(kernel.requires) - features
    if missing:
        yield f"needs {', '.join(sorted(missing))}"
    first = next(iter(bound.values()), None)
    if kernel.dtypes and first not in kernel.dtypes:
        yield f"takes {', '.join(map(str, kernel.dtypes))}"
    if kernel.when is not None and not kernel.when(view(graph, node, op)):
        yield "does not take such a node"

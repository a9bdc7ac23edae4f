"""Which kernels can compute a node, and why others cannot."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from toolchain.ir import DType, Graph, KernelChoice, Node
from toolchain.op.describe import Kernel, Op
from toolchain.op.node import bind_domains, view


def choose(graph: Graph, node: Node, op: Op, features: frozenset[str]) -> KernelChoice:
    """The first row that fits types, features and the node, and what kept it from earlier ones."""
    bound, _ = bind_domains(graph, node, op)
    refused: list[str] = []
    for row, kernel in enumerate(op.kernels):
        reasons = list(refusals(graph, node, op, kernel, features))
        if not reasons:
            symbol = op.symbol(kernel, list(bound.values()))
            why = "; ".join(refused) or "first choice"
            return KernelChoice(symbol, kernel.source, row, tuple(bound.items()), why)
        refused.append(f"{kernel.source} {' and '.join(reasons)}")
    raise AssertionError(f"{op.name}: the last kernel refuses node {node.name}")  # check_op forbids


def refusals(
    graph: Graph, node: Node, op: Op, kernel: Kernel, features: frozenset[str]
) -> Iterator[str]:
    """Why this kernel cannot compute this node; nothing when it can."""
    bound, _ = bind_domains(graph, node, op)
    missing = set(kernel.requires) - features
    if missing:
        yield f"needs {', '.join(sorted(missing))}"
    first = next(iter(bound.values()), None)
    if kernel.dtypes and first not in kernel.dtypes:
        yield f"takes {', '.join(map(str, kernel.dtypes))}"
    if kernel.when is not None and not kernel.when(view(graph, node, op)):
        yield "does not take such a node"


def kernel_dtypes(op: Op, kernel: Kernel) -> Iterator[dict[str, DType]]:
    """Every binding of the op's domain variables that the kernel takes."""
    choices = [list(dtypes) for dtypes in op.domains.values()]
    if choices and kernel.dtypes:
        choices[0] = [dtype for dtype in choices[0] if dtype in kernel.dtypes]
    for dtypes in itertools.product(*choices):
        yield dict(zip(op.domains, dtypes, strict=True))

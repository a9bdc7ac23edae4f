"""Problems with nodes whose kernels are all for another runtime than the build's."""

from __future__ import annotations

from collections.abc import Iterator

from opsmith.board.runtime import runtime_feature
from opsmith.errors import Problem
from opsmith.ir import Graph
from opsmith.op.index import OpIndex


def runtime_problems(graph: Graph, ops: OpIndex, features: frozenset[str]) -> Iterator[Problem]:
    """Problems KRN029, one for each node that nothing in this build can compute."""
    for node in graph.nodes:
        op = ops.of(graph, node)
        runtime = op.variant.only_runtime
        if runtime and runtime_feature(runtime) not in features:
            what = f"{node.name} ({op.name}): the op has kernels for runtime={runtime} alone"
            fix = f"build for a board with runtime={runtime}, or give the op a reference.h"
            yield Problem("KRN029", what, node.source or f"node {node.name}", fix)

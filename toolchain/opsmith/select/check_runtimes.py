"""Problems with nodes that nothing in the build can compute."""

from collections.abc import Iterator

from opsmith.board.emitter import runtime_feature
from opsmith.errors import Problem
from opsmith.ir import Graph
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Plan, planned
from opsmith.op.node import view


def runtime_problems(graph: Graph, ops: OpIndex, features: frozenset[str]) -> Iterator[Problem]:
    """Problems KRN029 of nodes whose kernels are all for another runtime than the build's, and
    KRN037 of nodes without a kernel that no decomposition replaced.
    """
    for node in graph.nodes:
        op, where = ops.of(graph, node), node.source or f"node {node.name}"
        runtime = op.variant.only_runtime
        if runtime and runtime_feature(runtime) not in features:
            what = f"{node.name} ({op.name}): the op has kernels for runtime={runtime} alone"
            fix = (
                f'build for a board with runtime={runtime}, or add Kernel("reference", …) to op.py'
            )
            fix += ", as cpu= of a custom layer"
            yield Problem("KRN029", what, where, fix)
        elif op.variant.reference is None:
            seen = view(graph, node, op)
            if not any(isinstance(planned(seen, each, features), Plan) for each in op.kernels):
                why = "; ".join(dict.fromkeys(node.remarks)) or "decompose= was not asked"
                what = f"{node.name} ({op.name}): the op has no kernel for it, and was {why}"
                fix = "correct into= of decompose= in op.py, or give the op a kernel"
                yield Problem("KRN037", what, where, fix)

"""What is wrong with what the user says about the choice of kernels."""

from __future__ import annotations

from collections.abc import Iterator

from toolchain.errors import Problem, did_you_mean
from toolchain.ir import Graph
from toolchain.op.choice import Wishes
from toolchain.op.discover import OpIndex


def wish_problems(graph: Graph, ops: OpIndex, wishes: Wishes) -> Iterator[Problem]:
    """Problems BLD008 where `prefer` names no kernel of these nodes."""
    names = {node.op for node in graph.nodes}
    known = sorted({kernel.backend for name in names for kernel in ops[name].kernels})
    if wishes.prefer and wishes.prefer not in known:
        near = did_you_mean(wishes.prefer, known)
        what = f"no op of this model has a kernel '{wishes.prefer}.h'{near}"
        where = f"command line: prefer={wishes.prefer}"
        yield Problem("BLD008", what, where, f"one of: {', '.join(known)}")

"""Streaming of a part of the graph, which runs once for every row of its input, so that no image in
it is whole.

Former rows that a node reads are kept in a buffer of few rows; nodes after the prefix run as ever,
once an inference (rows), or after every row (frames: one row enters and the oldest goes). Within
invoke() any segment of nodes can be streamed, from rows of whole tensors. Streamed nodes keep their
op and get another geometry, by hook `streaming.rows`, so that any kernel serves. Each row of each
output is made once, from the rows that the whole image would have there, including those outside of
the image: the bytes are those of the whole graph.

Postcondition: `graph.stream` says when each node runs; or the graph is unchanged.
"""

from collections.abc import Iterator

from opsmith.errors import ToolchainError, printable
from opsmith.ir import Graph
from opsmith.ir.flow import STRAIGHT
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems
from opsmith.schedule.streaming.build import streamed
from opsmith.schedule.streaming.schedule import Schedule, schedule

LONGEST = 64  # limit of nodes in a streamed prefix: each is tried as the last


def row_streams(graph: Graph, ops: OpIndex, where: str) -> Iterator[Graph]:
    """Graphs with prefixes of all lengths streamed. Raises MDL021 where no node can stream."""
    _check_straight(graph, "MDL021", where)
    found = schedule(graph, ops, frames=False)
    if not found.nodes:
        raise ToolchainError.of(
            "MDL021",
            f"nothing of the model can stream: {_reason(found.refused)}",
            where=where,
            fix="build without stream=; rows are axis 1 of an NHWC image, or steps of a sequence",
        )
    counts = range(1, min(len(found.nodes), LONGEST) + 1)
    return (_checked(streamed(graph, found, count, frames=False), ops) for count in counts)


def frame_stream(graph: Graph, ops: OpIndex, where: str) -> Graph:
    """Return the graph with every node streamed that can be, for an endless input.

    Raises MDL022 where time is not axis 1 with padding VALID and stride 1.
    """
    _check_straight(graph, "MDL022", where)
    found = schedule(graph, ops, frames=True)
    problems = [sentence for sentence in found.refused if "along time" in sentence]
    if problems or not found.nodes:
        raise ToolchainError.of(
            "MDL022",
            f"frames cannot be pushed: {'; '.join(problems) or _reason(found.refused)}",
            where=where,
            fix="train with padding VALID and stride 1 along time (axis 1), or use stream=rows",
        )
    return _checked(streamed(graph, found, len(found.nodes), frames=True), ops)


def taken_rows(graph: Graph, ops: OpIndex, found: Schedule, count: int) -> Graph:
    """Return the graph with the first `count` nodes of a schedule streamed within invoke()."""
    return _checked(streamed(graph, found, count, frames=False), ops)


def _check_straight(graph: Graph, code: str, where: str) -> None:
    if graph.flow != STRAIGHT:
        what = "the model has branches or loops, so nothing of it can stream"
        raise ToolchainError.of(code, what, where=where, fix="build without stream=")


def _checked(graph: Graph, ops: OpIndex) -> Graph:
    """Graph after a check that streamed nodes are valid uses of their ops. Raises OPS063."""
    assert graph.stream is not None
    for node in graph.nodes[graph.stream.first : graph.stream.end]:
        for problem in node_problems(graph, node, ops[node.op], node.source):
            raise ToolchainError.of(
                "OPS063",
                f"the op refuses the node that streaming.rows gives: {problem.what}",
                where=str(ops.by_name[node.op].file),
                fix="correct it: with its attributes, `window` rows of x make one row of y",
            )
    return graph


def _reason(refused: tuple[str, ...]) -> str:
    return printable(refused[0]) if refused else "no node reads its input"

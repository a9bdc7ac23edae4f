"""Replacement of subgraphs by one node where an op declares that it computes them.

Matches `on_device` are not tried: `select/fuse_launches.py` does, once nodes are placed.
Postcondition: no other op's `match` finds anything that could be replaced.
"""

from dataclasses import replace

from opsmith.ir import Graph
from opsmith.op.declare import Match
from opsmith.op.describe import Op
from opsmith.op.index import OpIndex
from opsmith.op.matching import graph_reader, matched_node, with_matched
from opsmith.op.node import node_problems, view


def match_subgraphs(graph: Graph, ops: OpIndex, *, on_device: bool = False) -> Graph:
    """Graph with every matched subgraph replaced; ops are tried in order of their names.

    With `on_device`, matches that only a device would compute as one node are included.
    """
    for name in sorted(ops.by_name):
        rule = ops[name].match if ops.by_name[name].claims.root else None
        while rule is not None and (on_device or not rule.on_device):
            replaced = _replace_first(graph, ops, ops[name], rule)
            if replaced is None:
                break
            graph = replaced
    return graph


def _replace_first(graph: Graph, ops: OpIndex, op: Op, rule: Match) -> Graph | None:
    reader = graph_reader(graph, ops)
    for node in graph.nodes:
        if node.op != rule.root:
            continue
        found = rule.find(view(graph, node, ops[node.op]), reader)
        if found is not None:
            remark = f"in place of {', '.join(found.nodes)}"
            made = replace(matched_node(found, node, op), remarks=(remark,))
            replaced = with_matched(graph, ops, found, made)
            if replaced is not None and not node_problems(graph, made, op, node.source):
                return replaced
    return None

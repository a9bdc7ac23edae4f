"""Choose a kernel for every node: of the rows that fit types, features and node the cheapest."""

from __future__ import annotations

from dataclasses import replace

from toolchain.errors import raise_all
from toolchain.ir import Graph
from toolchain.op.discover import OpIndex
from toolchain.select.check_wishes import tuning_problems, wish_problems
from toolchain.select.choice import NO_WISHES, Wishes, choose

# The remark on a node whose op is scaffolded and not written yet; reports look for it.
PLACEHOLDER = "PLACEHOLDER: this op is not written yet, its outputs mean nothing"
INEXACT = "NOT EXACT"  # how the remark on a node begins whose bytes may differ from LiteRT's


def select_kernels(
    graph: Graph, ops: OpIndex, features: frozenset[str], wishes: Wishes = NO_WISHES
) -> Graph:
    """The graph with a kernel for every node, all candidates, and why it was not an earlier one.

    Raises BLD008 where a wish is none that can be met, BLD072 where measurements are stale.
    """
    raise_all(wish_problems(graph, ops, wishes))
    nodes = []
    for node in graph.nodes:
        op = ops.of(graph, node)
        remarks = (PLACEHOLDER, *node.remarks) if "placeholder" in op.traits else node.remarks
        choice = choose(graph, node, op, features, wishes)
        inexact = choice.candidates[choice.row].inexact
        if inexact:
            remarks = (*remarks, f"{INEXACT}: {choice.name} may differ from LiteRT: {inexact}")
        nodes.append(replace(node, kernel=choice, remarks=remarks))
    found = replace(graph, nodes=tuple(nodes))
    raise_all(tuning_problems(found, wishes))
    return found

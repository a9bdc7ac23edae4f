"""Choose a kernel for every node: of those that fit types, features and node the cheapest."""

from __future__ import annotations

from dataclasses import replace

from toolchain.errors import raise_all
from toolchain.ir import Graph
from toolchain.op.index import OpIndex
from toolchain.select.check_preferences import preference_problems, tuning_problems
from toolchain.select.choice import NO_PREFERENCES, Choose, Preferences, choose
from toolchain.select.remarks import INEXACT, PLACEHOLDER


def select_kernels(
    graph: Graph,
    ops: OpIndex,
    features: frozenset[str],
    preferences: Preferences = NO_PREFERENCES,
    choose: Choose = choose,
) -> Graph:
    """Return the graph with a kernel for every node, its candidates and the reason for the choice.

    Raises BLD008 where a preference cannot be met, BLD072 where measurements are stale.
    """
    raise_all(preference_problems(graph, ops, preferences))
    nodes = []
    for node in graph.nodes:
        op = ops.of(graph, node)
        remarks = (PLACEHOLDER, *node.remarks) if "placeholder" in op.traits else node.remarks
        choice = choose(graph, node, op, features, preferences)
        inexact = choice.candidates[choice.index].inexact
        if inexact:
            remarks = (*remarks, f"{INEXACT}: {choice.name} may differ from LiteRT: {inexact}")
        elif op.variant.ulps:
            within = f"by up to {op.variant.ulps} units in the last place"
            within += f", those of {op.variant.ulps_at:g} at least" if op.variant.ulps_at else ""
            remarks = (*remarks, f"{INEXACT}: {op.name} may differ from LiteRT: {within}")
        nodes.append(replace(node, kernel=choice, remarks=remarks))
    found = replace(graph, nodes=tuple(nodes))
    raise_all(tuning_problems(found, preferences))
    return found

"""Choice of a kernel for every node: the cheapest that fits types, features and node."""

from dataclasses import replace

from opsmith.errors import raise_all
from opsmith.ir import Graph, Node
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.op.typed import TypedOp
from opsmith.select.check_preferences import tuning_problems
from opsmith.select.check_runtimes import runtime_problems
from opsmith.select.choice import NO_PREFERENCES, Choose, Preferences, choose
from opsmith.select.remarks import INEXACT, PLACEHOLDER


def select_kernels(
    graph: Graph,
    ops: OpIndex,
    features: frozenset[str],
    preferences: Preferences = NO_PREFERENCES,
    choose: Choose = choose,
) -> Graph:
    """Return the graph with a kernel for every node, its candidates and the reason for the choice.

    Raises BLD072 where measurements are stale, KRN029 where no kernel is for the build's runtime.
    """
    raise_all(runtime_problems(graph, ops, features))
    nodes = []
    for node in graph.nodes:
        op = ops.of(graph, node)
        # streamed nodes get their kernels anew, which makes remarks on the first kernels obsolete
        others = tuple(r for r in node.remarks if not r.startswith((PLACEHOLDER, INEXACT)))
        remarks = (PLACEHOLDER, *others) if "placeholder" in op.traits else others
        choice = choose(graph, node, op, features, preferences)
        inexact = choice.taken.inexact
        whose, how = (choice.name, inexact) if inexact else (op.name, _bound(graph, node, op))
        if how:
            remarks = (*remarks, f"{INEXACT}: {whose} may differ from LiteRT: {how}")
        nodes.append(replace(node, kernel=choice, remarks=remarks))
    found = replace(graph, nodes=tuple(nodes))
    raise_all(tuning_problems(found, preferences))
    return found


def _bound(graph: Graph, node: Node, op: TypedOp) -> str:
    """Difference of a node's floats from LiteRT's in words, whichever kernel computes the node."""
    variant = op.variant
    if variant.ulps:
        at = f", those of {variant.ulps_at:g} at least" if variant.ulps_at else ""
        return f"by up to {variant.ulps} units in the last place{at}"
    return "" if variant.inexact is None else variant.inexact(view(graph, node, op))

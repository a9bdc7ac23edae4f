"""Problems with the user's preferences for kernels."""

from collections.abc import Iterator

from opsmith.errors import Problem, did_you_mean
from opsmith.ir import Graph
from opsmith.op.index import OpIndex
from opsmith.select.choice import NO_PREFERENCES, Preferences, choose
from opsmith.select.tuning import AGAIN


def preference_problems(
    graph: Graph, ops: OpIndex, features: frozenset[str], preferences: Preferences
) -> Iterator[Problem]:
    """Problems BLD008 where `prefer` names no kernel of the graph's ops; they list the kernels that
    nodes can take with these features.
    """
    names = {node.op for node in graph.nodes}
    variants = [variant for name in names for variant in ops[name].variants]
    known = sorted({kernel.name for variant in variants for kernel in variant.kernels})
    if known and preferences.prefer and preferences.prefer not in known:
        typed = [(node, ops.of(graph, node)) for node in graph.nodes]
        choices = [choose(graph, *each, features, NO_PREFERENCES) for each in typed]
        fitting = {e.name for choice in choices for e in choice.candidates if not e.refused}
        near = did_you_mean(preferences.prefer, fitting)
        what = f"no op of this model has a kernel '{preferences.prefer}'{near}"
        where = f"command line: prefer={preferences.prefer}"
        yield Problem("BLD008", what, where, f"one of: {', '.join(sorted(fitting))}")


def unmet_problems(graph: Graph, preferences: Preferences) -> Iterator[Problem]:
    """Problem BLD028 where no node can use the kernel that `prefer` names."""
    name = preferences.prefer
    choices = [node.kernel for node in graph.nodes if node.kernel is not None]
    if not name or not choices or any(choice.name == name for choice in choices):
        return
    found = [each for choice in choices for each in choice.candidates if each.name == name]
    reasons = list(dict.fromkeys(each.refused for each in found)) or ["none is of its types"]
    more = f" and {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
    what = f"no node takes kernel '{name}': {'; '.join(reasons[:3])}{more}"
    fix = "remove prefer=, or build for a core and a runtime that have the kernel"
    yield Problem("BLD028", what, f"command line: prefer={name}", fix)


def tuning_problems(graph: Graph, preferences: Preferences) -> Iterator[Problem]:
    """Yield a problem BLD072 where measurements do not fit the chosen kernels' candidates.

    With `prefer=`, measurements are not used, and there is no such problem.
    """
    if not preferences.measured or preferences.prefer:
        return
    gone = sorted(set(preferences.measured) - {node.name for node in graph.nodes})
    stale = [f"node {name} is gone" for name in gone]
    for node in graph.nodes:
        fitting = [c for c in node.kernel.candidates if not c.refused] if node.kernel else []
        stale += [
            f"{c.name} of node {node.name} was not measured"
            for c in fitting
            if len({each.name for each in fitting}) > 1 and c.measured is None
        ]
    if stale:
        more = f" and {len(stale) - 3} more" if len(stale) > 3 else ""
        what = f"what `tune` measured is of another toolchain: {'; '.join(stale[:3])}{more}"
        yield Problem("BLD072", what, f"model {graph.name}", AGAIN)

"""Problems with the user's preferences for the sides on which nodes run."""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from opsmith.board.device import PROCESSOR, Device
from opsmith.errors import Problem, did_you_mean
from opsmith.ir import Graph, Node
from opsmith.select.choice import AFFINITY, Preferences, refusals


def device_problems(
    device: Device | None, affinity: Sequence[str], *, require: bool
) -> Iterator[Problem]:
    """Problems where options name sides but the runtime has no device."""
    fix = "name a runtime with a device: runtime=…"
    if device is None and affinity:
        what = "the runtime has no device: all nodes run on the processor"
        yield Problem("BLD039", what, f"command line: affinity={','.join(affinity)}", fix)
    if device is None and require:
        what = "the runtime has no device on which nodes could run"
        yield Problem("BLD036", what, "command line: require_gpu=1", fix)


def affinity_problems(graph: Graph, preferences: Preferences, device: Device) -> Iterator[Problem]:
    """Problems BLD039 where affinity= names no node, an unknown side, or a side without a kernel.

    The graph has kernels, with all candidates. A pattern must match at least one node.
    """
    names = [node.name for node in graph.nodes]
    for pattern, side in preferences.affinity:
        where = f"command line: affinity={pattern}:{side}"
        nodes = [node for node in graph.nodes if fnmatchcase(node.name, pattern)]
        sides = (PROCESSOR, device.name)
        fix = f"write NODE:{PROCESSOR} or NODE:{device.name}"
        if not pattern:
            yield Problem("BLD039", f"'{side}' names no node", "command line: affinity=", fix)
        elif side not in sides:
            near = did_you_mean(side, sides)
            yield Problem("BLD039", f"'{side}' is no side to run on{near}", where, fix)
        elif not nodes and (names or pattern.strip("*")):  # * is valid even if there are no nodes
            what = f"no node is called '{pattern}'{did_you_mean(pattern, names)}"
            yield Problem("BLD039", what, where, "name nodes as report.json does; * is any text")
        elif nodes and all(reasons := [_unable(node, side) for node in nodes]):
            fix = "remove it, or give the op a kernel for the node"
            yield Problem("BLD039", f"no kernel on {side} takes {reasons[0]}", where, fix)


def _unable(node: Node, side: str) -> str:
    """Reason why a node cannot run on a side; empty if it can."""
    assert node.kernel is not None
    here = [each for each in node.kernel.candidates if (each.device or PROCESSOR) == side]
    if any(each.refused in ("", AFFINITY) for each in here):
        return ""
    return f"{node.name} ({node.op}): {refusals(here) or 'the op has none'}"


def required_problems(nodes: Iterable[Node], device: Device) -> Iterator[Problem]:
    """Problem BLD036 for each node that runs on the processor although a device is required."""
    for node in nodes:
        assert node.kernel is not None and node.kernel.side is not None
        side = node.kernel.side
        if side.name == PROCESSOR:
            what = f"{node.name} ({node.op}) would run on the processor: {side.why}"
            fix = f"give the op a kernel for {device.name}, change the layer, or drop require_gpu="
            preferred = any(each.preferred for each in node.kernel.candidates)
            if preferred or not _unable(node, device.name):
                fix = "drop affinity=, prefer= or require_gpu="
            yield Problem("BLD036", what, node.source or f"node {node.name}", fix)

"""Subgraphs that operators run, with a proof that calls end, since a file may say anything."""

from collections.abc import Callable, Mapping
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.frontend.tflite.problems import wrong
from opsmith.ir import Node

BODIES: Mapping[str, tuple[str, ...]] = {  # operator -> its options that are numbers of subgraphs
    "tflite.IF": ("then_subgraph_index", "else_subgraph_index"),
    "tflite.WHILE": ("cond_subgraph_index", "body_subgraph_index"),
    "tflite.CALL_ONCE": ("init_subgraph_index",),
}
COPY = "copy"  # for values that a composite passes on; no operator of files has this name
DEEPEST = 32  # limit of nested calls
MOST_COPIED = 4_000  # copies of operators, and of operands of calls
FEWER = "write what all of these have in common once: after the branch, or in a loop around it"

Subgraphs = Callable[[int], Model | None]  # by number; None if there is none


def bodies(node: Node) -> tuple[int, ...]:
    """Numbers of the subgraphs that an operator runs; -1 for a missing number."""
    return tuple(node.attributes.get(option, -1) for option in BODIES.get(node.op, ()))


def called_models(path: Path, number: int, subgraphs: Subgraphs) -> dict[int, Model]:
    """Subgraphs that a subgraph runs, directly or not, by number.

    Raises MDL008 unless all exist, their calls end, and they are not too large once each call is
    replaced by its subgraph: a few that run each other several times would be billions of
    operators.
    """
    found: dict[int, Model] = {}
    sizes: dict[int, tuple[int, int]] = {}  # size once inlined, and depth of nested calls

    def size(model: Model, running: tuple[int, ...]) -> tuple[int, int]:
        total, depth = _own_size(model), 0
        for node in model.graph.nodes:
            for called in bodies(node):
                if called not in sizes:
                    found[called] = _called(path, node, called, running, subgraphs)
                    sizes[called] = size(found[called], (*running, called))
                nodes, inner = sizes[called]
                total, depth = total + nodes, max(depth, 1 + inner)
                _check_depth(path, node, len(running) + inner)
        return total, depth

    main = subgraphs(number)
    assert main is not None
    total, _ = size(main, (number,))
    copied = total - _own_size(main) - sum(map(_own_size, found.values()))
    if copied > MOST_COPIED:
        largest = max(main.graph.nodes, key=lambda node: sum(sizes[n][0] for n in bodies(node)))
        what = f"with each subgraph in the place of its calls, {total:,} operators and operands "
        what += f"of calls would run: {copied:,} are copies, and may be {MOST_COPIED:,} at most"
        raise wrong(path, "MDL008", what, largest.source, FEWER)
    return found


def _own_size(model: Model) -> int:
    """Size of a subgraph: its operators, and operands of its calls, which may become copies."""
    nodes = model.graph.nodes
    calls = [node for node in nodes if node.op in BODIES]
    return len(nodes) + sum(len(node.inputs) + len(node.outputs) for node in calls)


def _check_depth(path: Path, node: Node, depth: int) -> None:
    if depth > DEEPEST:
        raise _refused(path, node, f"subgraphs run each other {depth} deep")


def _called(
    path: Path, node: Node, number: int, running: tuple[int, ...], subgraphs: Subgraphs
) -> Model:
    if number in running:
        raise _refused(path, node, f"subgraph {number} runs itself")
    _check_depth(path, node, len(running))
    found = None if number < 0 else subgraphs(number)
    if found is None:
        raise _refused(path, node, f"subgraph {number} does not exist")
    return found


def _refused(path: Path, node: Node, what: str) -> ToolchainError:
    return wrong(path, "MDL008", what, node.source)

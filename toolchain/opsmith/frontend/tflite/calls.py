"""Which subgraphs operators run, and that this ends: a file may say anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.frontend.tflite.tensors import wrong
from opsmith.ir import Node

BODIES: Mapping[str, tuple[str, ...]] = {  # operator -> its options that are numbers of subgraphs
    "tflite.IF": ("then_subgraph_index", "else_subgraph_index"),
    "tflite.WHILE": ("cond_subgraph_index", "body_subgraph_index"),
    "tflite.CALL_ONCE": ("init_subgraph_index",),
}
COPY = "copy"  # what a composite passes on: no operator of a file has this name
DEEPEST = 32  # calls within calls
MOST_NODES = 100_000  # once each call has a copy of its subgraph

Subgraphs = Callable[[int], Model | None]  # by number; None: there is none


def bodies(node: Node) -> tuple[int, ...]:
    """The numbers of the subgraphs that the operator runs; -1 for one that it does not name."""
    return tuple(node.attributes.get(option, -1) for option in BODIES.get(node.op, ()))


def called_models(path: Path, number: int, subgraphs: Subgraphs) -> dict[int, Model]:
    """All subgraphs that this one runs, by number.

    Raises MDL008 unless they exist, end, and have a sensible size with each in the place of its
    calls.
    """
    found: dict[int, Model] = {}
    sizes: dict[int, tuple[int, int]] = {}  # nodes and calls within calls, with all that they run

    def size(model: Model, running: tuple[int, ...]) -> tuple[int, int]:
        total, depth = len(model.graph.nodes), 0
        for node in model.graph.nodes:
            for called in bodies(node):
                if called not in sizes:
                    found[called] = _called(path, node, called, running, subgraphs)
                    sizes[called] = size(found[called], (*running, called))
                nodes, inner = sizes[called]
                total, depth = total + nodes, max(depth, 1 + inner)
                if total > MOST_NODES:
                    raise _refused(path, node, f"more than {MOST_NODES:,} operators would run")
                _check_depth(path, node, len(running) + inner)
        return total, depth

    main = subgraphs(number)
    assert main is not None
    size(main, (number,))
    return found


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

"""Walk through the branches and loops of a built model: order of nodes, and places they write."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from opsmith.errors import ToolchainError
from opsmith.ir import Array

# A tensor that a block writes, and how many times the block has written it before.
Place: TypeAlias = tuple[int, str, int]
# What was written there, run after run; None where that is not known.
Recorded: TypeAlias = Mapping[Place, Sequence[Array | None]]
# Takes the bytes of each array that nodes of loops wrote; raises where all are too many.
Keep: TypeAlias = Callable[[int], None]
Flow: TypeAlias = Sequence[Mapping[str, Any]]  # as in model.json


def keep_all(_: int) -> None:
    """Accept an array of any size, as a check before arrays are kept."""


def is_straight(flow: Flow) -> bool:
    """True if no computed value decides which nodes run."""
    return all("nodes" in item for item in flow)


def conditions(flow: Flow) -> set[str]:
    """Tensors that decide which nodes run."""
    found: set[str] = set()
    for item in flow:
        for key in ("if", "while"):
            found |= {item[key]} if key in item else set()
        for key in ("then", "else", "test", "body"):
            found |= conditions(item.get(key, ()))
    return found


def node_runs(flow: Flow, values: Mapping[str, Array], check: Callable[[], None]) -> Iterator[int]:
    """Yield the indices of nodes in the order in which they run.

    A condition is looked up in `values` when it is due, so that earlier nodes must have written it.
    `check` is called in each pass of a loop, which may have no nodes. Raises MDL025 where a loop
    cannot end.
    """
    for item in flow:
        if "if" in item:
            side = item["then" if values[item["if"]].all() else "else"]
            yield from node_runs(side, values, check)
        elif "while" in item:
            yield from node_runs(item["test"], values, check)
            while _goes_on(item, values):
                check()
                yield from node_runs(item["body"], values, check)
                yield from node_runs(item["test"], values, check)
        else:
            for number in range(item.get("passes", 1)):
                yield from (node for node in item["nodes"] if _is_due(item, node, number))


def _is_due(item: Mapping[str, Any], node: int, number: int) -> bool:
    """True if a node runs in a pass of an item of the flow; in the only one if not streamed."""
    if "due" not in item:
        return True
    first, every, times = item["due"][node - item["nodes"][0]]
    run, rest = divmod(number - first, every)
    return bool(rest == 0 and 0 <= run < times)


def _goes_on(loop: Mapping[str, Any], values: Mapping[str, Array]) -> bool:
    name = loop["while"]
    if name not in values:  # a constant; if it is false, there is no loop
        what = f"the model has a loop that never ends: its condition '{name}' is always true"
        fix = "crosscheck, profile and tune take models whose loops end; correct the condition"
        raise ToolchainError.of("MDL025", what, where="the model", fix=fix)
    return bool(values[name].all())


def blocks_of(flow: Flow) -> dict[int, int]:
    """Block of each node, by index of the node."""
    found: dict[int, int] = {}
    for item in flow:
        found |= dict.fromkeys(item.get("nodes", ()), item.get("block", 0))
        for key in ("then", "else", "test", "body"):
            found |= blocks_of(item.get(key, ()))
    return found


def places(nodes: Iterable[tuple[int, Sequence[str]]]) -> list[list[Place]]:
    """Places that each node writes; nodes are given as pairs of block and outputs, in order."""
    written: Counter[tuple[int, str]] = Counter()
    found = []
    for block, outputs in nodes:
        found.append([(block, name, written[block, name]) for name in outputs])
        written.update((block, name) for name in outputs)
    return found


def places_of(report: Mapping[str, Any]) -> list[list[Place]]:
    """Places that each node of a build writes."""
    blocks = blocks_of(report["flow"])
    return places((blocks[node["index"]], node["outputs"]) for node in report["nodes"])


def counterparts(
    of: Sequence[Place], recorded: Recorded, *, straight: bool
) -> dict[Place, Sequence[Array | None]]:
    """Recorded values for `of`, all places of a build, for each tensor that the recording wrote at
    an equal number of places.

    A `straight` build may be of a model with branches and loops whose conditions are constant: a
    tensor that the recording wrote once is then that of the build's only block.
    """
    known = _straightened(recorded) if straight else recorded
    ours, theirs = (Counter(place[:2] for place in each) for each in (of, known))
    return {place: known[place] for place in of if ours[place[:2]] == theirs[place[:2]]}


def _straightened(recorded: Recorded) -> dict[Place, Sequence[Array | None]]:
    """Recorded tensors that were written once, moved to the first block."""
    runs: dict[str, list[Array | None]] = {}
    for (_, name, _), values in recorded.items():
        runs.setdefault(name, []).extend(values)
    return {(0, name, 0): values for name, values in runs.items() if len(values) == 1}

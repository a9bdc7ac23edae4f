"""Assignment of blocks to memories, by the rules of the board."""

from collections.abc import Mapping, Sequence

from opsmith.board.describe import ArenaRule
from opsmith.ir import Graph
from opsmith.schedule.memory.blocks import UNIT, Block
from opsmith.schedule.memory.conflicts import problem
from opsmith.schedule.memory.overlaps import Distances
from opsmith.schedule.memory.stack import greedy, height


def regions(
    graph: Graph,
    every: Sequence[Block],
    memory: str,
    rules: Sequence[ArenaRule],
    distances: Distances,
    gap: int = 0,
) -> Mapping[str, tuple[Block, ...]]:
    """Blocks of each memory: the first rule that holds for a block decides, else it is `memory`.

    A rule with a limit takes the largest blocks that fit it together, and passes on the rest.
    """
    found: dict[str, tuple[Block, ...]] = {memory: ()}
    rest = tuple(every)
    for rule in rules:
        wanted = tuple(block for block in rest if _holds(graph, rule, block))
        there = found.get(rule.memory, ())
        taken = _within(rule, there, wanted, distances, gap)
        gone = {block.parts[0].name for block in taken}
        rest = tuple(block for block in rest if block.parts[0].name not in gone)
        if taken:
            found[rule.memory] = (*there, *taken)
    found[memory] = (*found[memory], *rest)
    return found


def _holds(graph: Graph, rule: ArenaRule, block: Block) -> bool:
    kinds = {_kind(graph, part.name) for part in block.parts}
    return kinds <= set(rule.kinds) and rule.at_least <= block.bytes <= rule.at_most


def _kind(graph: Graph, name: str) -> str:
    if graph.stream is not None and any(held.buffer == name for held in graph.stream.held):
        return "inner"
    if name not in graph.tensors:
        return "scratch"
    if graph.tensors[name].variable:
        return "state"
    if name in graph.inputs:
        return "input"
    return "output" if name in graph.outputs else "inner"


def _within(
    rule: ArenaRule,
    there: Sequence[Block],
    wanted: Sequence[Block],
    distances: Distances,
    gap: int,
) -> tuple[Block, ...]:
    """Return the largest wanted blocks that fit the rule's limit beside those already there."""
    if rule.limit is None:
        return tuple(wanted)
    by_size = sorted(wanted, key=lambda block: (-block.bytes, block.first))
    fitting = [block for block in by_size if block.bytes <= rule.limit]
    low, high = 0, len(fitting)
    while low < high:
        middle = (low + high + 1) // 2
        task = problem([*there, *fitting[:middle]], distances, gap)
        if (gap + height(task, greedy(task))) * UNIT <= rule.limit:
            low = middle
        else:
            high = middle - 1
    names = {block.parts[0].name for block in fitting[:low]}
    return tuple(block for block in wanted if block.parts[0].name in names)

"""Choice of the nodes that run row by row within invoke(): RAM is weighed against instructions.

Tensors stay whole where they fit. Where they do not, or where the smallest RAM is asked for, a
segment of nodes runs once for each row, from whole tensors into whole tensors of the arena, so that
tensors between them are never whole. A few promising segments are compiled and planned; of those
that fit, the one with the fewest instructions is taken.

Postcondition: the plan lists all trades; or RAM is unlimited or next to nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from opsmith.errors import ToolchainError
from opsmith.ir import Graph, Trade
from opsmith.ir.flow import STRAIGHT
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.schedule.memory.needs import needs
from opsmith.schedule.row_segments import segments
from opsmith.schedule.stream_rows import taken_rows
from opsmith.select.flash_ledger import UNKNOWN, LedgerUse, uses_of

PROMISING = 3  # graphs, of all examined, whose plans are searched for
COPIED = 1.25  # instructions to copy one byte of a row
LONGER = 1.10  # allowed instructions of the smallest, relative to whole tensors
WORTHWHILE = 1024  # bytes of RAM: about the flash that the code of passes takes

Planned = Callable[..., Graph]  # plans a graph; without `search`, by the greedy plan


@dataclass(frozen=True)
class RamBudget:
    """RAM that a model may take: its arenas, and the states that its nodes keep between calls."""

    bytes: int | None = None  # None: unlimited
    memory: str = ""  # a memory of the board; "": all memories
    asked: bool = False  # given by a user, so that exceeding it is an error
    least: bool = False  # use as little as is reasonable, whatever the budget
    rows: bool = True  # nodes may run row by row


UNLIMITED = RamBudget(rows=False)


def within(
    graph: Graph,
    ops: OpIndex,
    budget: RamBudget,
    chosen: Callable[[Graph], Graph],
    planned: Planned,
    where: str,
) -> Graph:
    """Planned graph: with whole tensors, or with nodes that run row by row, as the budget requires.

    `chosen` gives a graph kernels. Raises BLD048 where nothing fits a budget that a user gave.
    """
    whole = planned(graph)
    rows = budget.rows and graph.flow == STRAIGHT
    little = not rows or (ram(whole, ops) < WORTHWHILE and not budget.asked)
    if little and _fits(whole, ops, budget):
        return whole
    graphs = [graph, *(chosen(each) for each in _in_rows(graph, ops))] if rows else [graph]
    looks = [whole, *(planned(each, search=False) for each in graphs[1:])]
    trades = [_trade(each, ops, budget.memory) for each in looks]
    best = whole
    for number in _order(trades, budget):
        found = whole if number == 0 else planned(graphs[number])
        trades[number] = _trade(found, ops, budget.memory)
        if _fits(found, ops, budget):
            best = found
            break
        best = min(best, found, key=lambda each: ram(each, ops, budget.memory))
    if budget.asked and not _fits(best, ops, budget):
        raise _too_small(best, ops, budget, where)
    assert best.plan is not None
    curve = _curve(trades, _trade(best, ops, budget.memory))
    return replace(best, plan=replace(best.plan, trades=curve))


def smallest(graphs: Iterable[Graph], planned: Planned, ops: OpIndex) -> Graph:
    """Graph with the smallest plan, among those that look best without a search for plans."""
    looks = [(planned(each, search=False), each) for each in graphs]
    looks.sort(key=lambda look: ram(look[0], ops))
    best = planned(looks[0][1])
    for look, each in looks[1:PROMISING]:
        if _least_ram(look, ops) < ram(best, ops):  # otherwise the search would be in vain
            best = min(best, planned(each), key=lambda each: ram(each, ops))
    return best


def ram(graph: Graph, ops: OpIndex, memory: str = "") -> int:
    """Bytes of RAM of a graph: all arenas, or that in one memory, and the states of nodes."""
    assert graph.plan is not None
    arenas = graph.plan.arenas
    return (arenas.get(memory, 0) if memory else sum(arenas.values())) + _kept(graph, ops)


def _least_ram(graph: Graph, ops: OpIndex) -> int:
    """Lower bound on the bytes of arenas and states, for any plan of the graph."""
    assert graph.plan is not None
    return sum(graph.plan.lower_bounds.values()) + _kept(graph, ops)


def _kept(graph: Graph, ops: OpIndex) -> int:
    """Bytes of states that nodes keep from one invoke() to the next."""
    typed = [(ops.of(graph, node), node) for node in graph.nodes]
    return sum(
        state.elements(view(graph, node, op)) * op.state_type(state).size
        for op, node in typed
        for state in op.states
    )


def _fits(graph: Graph, ops: OpIndex, budget: RamBudget) -> bool:
    return budget.bytes is None or ram(graph, ops, budget.memory) <= budget.bytes


def _in_rows(graph: Graph, ops: OpIndex) -> Iterator[Graph]:
    """Variants of the graph, each with one of a few promising segments running row by row."""
    costs = [_instructions(use) for use in uses_of(graph, ops)]
    for each in segments(graph, ops, needs(graph, ops), costs):
        yield taken_rows(graph, ops, each.found, each.count)


def _order(trades: Sequence[Trade], budget: RamBudget) -> list[int]:
    """Indices of trades in the order in which they are tried; the last are those of least RAM."""
    limit, whole = budget.bytes, trades[0]
    every = range(len(trades))
    fitting = [i for i in every if limit is None or trades[i].bytes <= limit]
    fitting.sort(key=lambda i: (i > 0, trades[i].instructions, trades[i].bytes))
    small = sorted(every, key=lambda i: (trades[i].bytes, trades[i].instructions))
    if budget.least:
        reasonable = [i for i in small if _reasonable(trades[i], whole) and i in fitting]
        fitting = reasonable[:1] + fitting
    return [*dict.fromkeys([*fitting, *small[:PROMISING]])]


def _reasonable(trade: Trade, whole: Trade) -> bool:
    """True if a trade may be the smallest: it takes little longer and saves more than its code."""
    saved, most = whole.bytes - trade.bytes, whole.instructions * LONGER
    return trade == whole or (saved >= WORTHWHILE and trade.instructions <= most)


def _trade(graph: Graph, ops: OpIndex, memory: str) -> Trade:
    stream = graph.stream
    first, nodes = (0, 0) if stream is None else (stream.first, stream.nodes)
    instructions = sum(_instructions(use) for use in uses_of(graph, ops)) + _copying(graph)
    return Trade(first, nodes, ram(graph, ops, memory), round(instructions))


def _instructions(use: LedgerUse) -> float:
    """Instructions of a node in one invoke(), as its kernel declares."""
    if "view" in use.op.traits:
        return 0.0
    cost = use.taken.cost
    once = UNKNOWN * use.elements if cost is None else cost
    return use.runs * once * (1.0 if use.choice.specialised else use.code_of(use.taken).slowdown)


def _copying(graph: Graph) -> float:
    """Instructions for copying rows: out of and into whole tensors, and down by a row."""
    stream = graph.stream
    if stream is None:
        return 0.0
    rows = [*stream.taken, *stream.gathered]
    copied = sum(graph.tensors[row].bytes * stream.timing[row].rows for row in rows)
    moved = (
        (held.depth - 1 + held.copied) * held.row_bytes * stream.timing[held.tensor].rows
        for held in stream.held
    )
    return COPIED * (copied + sum(moved))


def _curve(trades: Sequence[Trade], best: Trade) -> tuple[Trade, ...]:
    """Trades that no other betters in both RAM and time, and the chosen one, the largest first."""
    every = {(each.bytes, each.instructions): each for each in (*reversed(trades), best)}.values()
    return tuple(
        each
        for each in sorted(every, key=lambda each: (-each.bytes, each.instructions))
        if each == best or not any(_betters(other, each) for other in every)
    )


def _betters(one: Trade, other: Trade) -> bool:
    mine, others = (one.bytes, one.instructions), (other.bytes, other.instructions)
    return mine != others and mine[0] <= others[0] and mine[1] <= others[1]


def _too_small(best: Graph, ops: OpIndex, budget: RamBudget, where: str) -> ToolchainError:
    least = ram(best, ops)
    how = "with tensors whole" if best.stream is None else "with nodes that run row by row"
    what = f"ram_budget={budget.bytes}: the model takes {least} bytes of RAM at least, {how}"
    fix = f"give ram_budget={least} or more"
    return ToolchainError.of("BLD048", what, where=where, fix=fix)

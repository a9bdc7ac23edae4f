"""Debug builds, `guards=1`: after each node, what it had no business to write is as it was.

A node may write its outputs, its scratch buffers and its states. All other bytes of the arenas are
cut into ranges, each of which one tensor has or none. What no tensor has, which is guard words
around every block and whatever else is unused at the time, is painted before the node runs and
must be painted after it; what a tensor has, also an input that the output lies over in part, must
have the sum that it had. A single byte that changes always changes the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolchain.ir import Placement, Plan
from toolchain.ir.program import Program


@dataclass(frozen=True)
class Kept:
    """Bytes that a node has to leave alone."""

    memory: str
    offset: int
    bytes: int
    free: bool  # no tensor has them
    what: str  # for people: whose they are


def kept_by(program: Program, index: int) -> tuple[Kept, ...]:
    """The bytes that this node has to leave alone, by memory and address."""
    plan = program.graph.plan
    assert plan is not None
    own = _own(program, index)
    alive = {name: at for name, at in plan.placements.items() if at.first <= index <= at.last}
    return tuple(kept for memory in plan.arenas for kept in _ranges(plan, memory, alive, own))


def guard_lines(program: Program, arena_name: Callable[[Plan, str], str]) -> Iterator[str]:
    """What model.cc knows of these bytes: an array for each node that a kernel computes."""
    plan = program.graph.plan
    assert plan is not None
    yield from (
        "",
        "// What each node has to leave alone; true: no tensor has it.",
        "namespace kept {",
    )
    most = 1
    for index, step in enumerate(program.steps):
        if not step.in_place:
            found = kept_by(program, index)
            most = max(most, len(found))
            yield f"const opsmith::Kept {step.node.name}[] = {{"
            for kept in found:
                free = "true" if kept.free else "false"
                address = f"{arena_name(plan, kept.memory)} + {kept.offset}"
                yield f"    {{{address}, {kept.bytes}, {free}}},"
            yield "};"
    yield from ("}  // namespace kept", f"opsmith::Guards<{most}> guards;")


def guarded(program: Program, calls: Sequence[str]) -> list[str]:
    """The calls of the sequence, each between two looks at what it has to leave alone."""
    return [
        call
        if step.in_place
        else f"  guards.before(kept::{step.node.name});\n{call}\n"
        f"  guards.after({index}, kept::{step.node.name});"
        for index, (step, call) in enumerate(zip(program.steps, calls, strict=True))
    ]


def _own(program: Program, index: int) -> set[str]:
    """The tensors and scratch buffers that the node may write."""
    node, tensors = program.steps[index].node, program.graph.tensors
    states = {name for name in node.inputs if name is not None and tensors[name].variable}
    assert program.graph.plan is not None
    names = program.graph.plan.placements
    return {*node.outputs, *states, *(n for n in names if n.startswith(f"{node.name}."))}


def _ranges(plan: Plan, memory: str, alive: dict[str, Placement], own: set[str]) -> Iterator[Kept]:
    """The arena of a memory, cut where anything alive begins or ends, without what the node has."""
    here = {name: at for name, at in alive.items() if at.memory == memory}
    size = plan.arenas[memory]
    edges = {0, size}
    edges.update(e for at in here.values() for e in (at.offset, at.offset + at.bytes))
    for start, stop in pairwise(sorted(edges)):
        holders = [n for n, at in here.items() if at.offset <= start < at.offset + at.bytes]
        if own.isdisjoint(holders):
            what = f"which hold {_names(holders)}" if holders else _beside(here, start, stop)
            yield Kept(memory, start, stop - start, not holders, what)


def _beside(here: dict[str, Placement], start: int, stop: int) -> str:
    """Between what bytes lie that no tensor has."""
    behind = [name for name, at in here.items() if at.offset + at.bytes == start]
    before = [name for name, at in here.items() if at.offset == stop]
    parts = [f"behind {_names(behind)}"] if behind else []
    parts += [f"before {_names(before)}"] if before else []
    return f"which no tensor has, {' and '.join(parts)}" if parts else "which no tensor has"


def _names(names: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)

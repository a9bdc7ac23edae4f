"""Debug builds, `guards=1`: check after each node that bytes it does not own are unchanged.

A node may write its outputs, its scratch buffers and its states. All other bytes of the arenas are
cut into ranges, each owned by one tensor or by none. Ranges without an owner, which are the guard
words around every block and all bytes unused at the time, are painted before the node runs and must
still be painted afterwards; a range owned by a tensor, including an input that the output partly
overlaps, must keep its checksum. Changing a single byte always changes the checksum.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from opsmith.emit.operands import arena_name
from opsmith.ir import MemoryPlan, Placement
from opsmith.ir.program import Program


@dataclass(frozen=True)
class Kept:
    """Range of bytes that a node must leave unchanged."""

    memory: str
    offset: int
    bytes: int
    free: bool  # bytes that belong to no tensor
    what: str  # owner of the bytes, for messages


def kept_by(program: Program, index: int) -> tuple[Kept, ...]:
    """Ranges of bytes that a node must not change, by memory and address."""
    plan = program.graph.plan
    assert plan is not None
    own = _own(program, index)
    alive = {name: at for name, at in plan.placements.items() if at.first <= index <= at.last}
    return tuple(kept for memory in plan.arenas for kept in _ranges(plan, memory, alive, own))


def guard_lines(program: Program) -> Iterator[str]:
    """Lines of model.cc with protected bytes: an array for each node that a kernel computes."""
    plan = program.graph.plan
    assert plan is not None
    yield from (
        "",
        "// Bytes that each node must not change; `true` marks those that no tensor owns.",
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
    """Calls of the sequence, each between two checks of the bytes that it must not change."""
    return [
        call
        if step.in_place
        else f"  guards.before(kept::{step.node.name});\n{call}\n"
        f"  guards.after({index}, kept::{step.node.name});"
        for index, (step, call) in enumerate(zip(program.steps, calls, strict=True))
    ]


def _own(program: Program, index: int) -> set[str]:
    """Tensors and scratch buffers that the node may write."""
    node, tensors = program.steps[index].node, program.graph.tensors
    states = {name for name in node.inputs if name is not None and tensors[name].variable}
    assert program.graph.plan is not None
    names = program.graph.plan.placements
    return {*node.outputs, *states, *(n for n in names if n.startswith(f"{node.name}."))}


def _ranges(
    plan: MemoryPlan, memory: str, alive: dict[str, Placement], own: set[str]
) -> Iterator[Kept]:
    """Ranges of a memory's arena, cut where live blocks begin or end, less those the node owns."""
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
    """Description of bytes that no tensor owns, by the blocks next to them."""
    after = [name for name, at in here.items() if at.offset + at.bytes == start]
    before = [name for name, at in here.items() if at.offset == stop]
    parts = [f"after {_names(after)}"] if after else []
    parts += [f"before {_names(before)}"] if before else []
    return f"which no tensor owns, {' and '.join(parts)}" if parts else "which no tensor owns"


def _names(names: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)

"""Finds kernels that write beside their tensors on a board, without sanitizers: bytes between
tensors are padding, and often overwritten before anybody reads them.
"""

from collections.abc import Collection
from pathlib import Path

from opsmith.emit.operands import arena_name
from opsmith.ir import MemoryPlan
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.testing.node_accesses import accesses, before_calls

BESIDE = 16  # painted bytes on each side of a tensor
_GAPS = "painted_gaps"
_BEGIN = "void invoke() {\n"


def paint(program: Program, ops: OpIndex, folder: Path) -> None:
    """Put calls of batch/painted.h into the model.cc of a program in a folder. A plan with guards
    has room for the painted bytes.
    """
    plan, gaps = program.graph.plan, list[str]()
    assert plan is not None

    def entry(number: int) -> str:
        node, first = program.steps[number - 1].node, len(gaps)
        own = {region.buffer for region in accesses(program.graph, ops, node, number)}
        for memory, start, stop in gaps_beside(plan, own, number - 1):
            gaps.append(f"{{{arena_name(plan, memory)} + {start}, {stop - start}}}")
        return f'painted::enter("{node.name}", {_GAPS} + {first}, {len(gaps) - first});\n'

    path = folder / program.graph.name / "model.cc"
    text = before_calls(path.read_text(encoding="utf-8"), program, entry)
    head, begin, rest = text.partition(_BEGIN)
    body, end, tail = rest.partition("\n}\n")
    assert end, f"{path} has no invoke()"
    table = f"static const painted::Gap {_GAPS}[] = {{{', '.join([*gaps, '{nullptr, 0}'])}}};\n\n"
    text = f'#include "painted.h"\n\n{head}{table}{begin}{body}\n  painted::leave();{end}{tail}'
    path.write_text(text, encoding="utf-8")


def gaps_beside(plan: MemoryPlan, own: Collection[str], index: int) -> list[tuple[str, int, int]]:
    """Memory, start and end of each gap beside a node's own buffers that no live buffer occupies
    while the node runs.
    """
    living = [at for at in plan.placements.values() if at.first <= index <= at.last]
    found: list[tuple[str, int, int]] = []
    for at in (plan.placements[name] for name in sorted(own)):
        others = [(o.offset, o.offset + o.bytes) for o in living if o.memory == at.memory]
        start, stop = at.offset, at.offset + at.bytes
        if not any(first < start < last for first, last in others):
            before = max((last for _, last in others if last <= start), default=0)
            found.append((at.memory, max(start - BESIDE, before), start))
        if not any(first < stop < last for first, last in others):
            after = min((first for first, _ in others if first >= stop), default=stop + BESIDE)
            found.append((at.memory, stop, min(stop + BESIDE, after, plan.arenas[at.memory])))
    return [(memory, first, last) for memory, first, last in found if first < last]

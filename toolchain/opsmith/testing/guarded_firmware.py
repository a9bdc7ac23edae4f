"""Checks that no node of a program for this machine leaves its own tensors, which lie side by side
in the arena, where AddressSanitizer sees no end of one.
"""

from pathlib import Path

from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.testing.node_accesses import accesses, before_calls

HEADER = Path(__file__).with_name("guarded.h")


def guard(program: Program, ops: OpIndex, folder: Path) -> None:
    """Put calls of guarded.h into the model.cc of a program in a folder.

    Regions begin at multiples of 4 bytes, and AddressSanitizer knows the end of a region only if
    poison follows in the same 8 bytes: a read before a node's tensors may be missed.
    """
    graph = program.graph
    plan = graph.plan
    assert plan is not None and len(plan.arenas) == 1, "one arena is guarded"
    table = f"own_of_{graph.name}"
    rows: list[str] = []

    def entry(number: int) -> str:
        own = accesses(graph, ops, program.steps[number - 1].node, number)
        places = [plan.placements[region.buffer] for region in own]
        first = f"guarded::{table} + {len(rows)}"
        rows.extend(f"{{{at.offset}, {at.bytes}}}" for at in places)
        return f"guarded::enter(arena, arena_bytes, {first}, {len(places)});\n"

    path = folder / graph.name / "model.cc"
    text = before_calls(path.read_text(encoding="utf-8"), program, entry)
    head, start, rest = text.partition("void invoke() {\n")
    body, end, tail = rest.partition("\n}\n")
    assert end, f"{path} has no invoke()"
    left = "\n  guarded::leave(arena, arena_bytes);"
    regions = f"namespace guarded {{\nconstexpr Region {table}[] = {{{', '.join(rows)}}};\n}}\n"
    path.write_text(f"{regions}{head}{start}{body}{left}{end}{tail}", encoding="utf-8")

"""Models of one firmware: they share kernel instances and constants, have a sequence of nodes each,
and share one arena if requested.

Kernels and flash budgets are chosen for each model alone, so that one beside another computes as
fast as alone; a general form that only the other model needs is not considered. In a package both
`opsmith_models` and `opsmith` lie in a namespace named after all the models, with `opsmith` as an
alias in each, so that a program can link two packages. Two packages with a model of one name
exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from opsmith.emit.cpp import ALONE, Among
from opsmith.emit.names import SPACE, ModelFiles, files_of
from opsmith.emit.operands import arena_name
from opsmith.emit.pack_weights import pack_together
from opsmith.errors import Problem, raise_all
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex


@dataclass(frozen=True)
class Joined:
    """Programs that use the instances and constants of `common`, a single model's own program."""

    common: Program
    programs: tuple[Program, ...]
    shared: bool = False  # models take turns with one arena

    @classmethod
    def of(cls, program: Program) -> Joined:
        """Joined for a single model."""
        return cls(program, (program,))

    @property
    def alone(self) -> bool:
        """True if there is only one model."""
        return len(self.programs) == 1

    @property
    def files(self) -> list[ModelFiles]:
        """Names of the files of each model."""
        return files_of([program.graph.name for program in self.programs])

    def among(self, header: str) -> Among:
        """Differences in a model's source among others, which includes `header`; ALONE for one."""
        return ALONE if self.alone else Among(header, SPACE, self.shared)

    def placed(self, common: Program) -> Joined:
        """Joined with the tables of `common`, which have memories."""
        return Joined.of(common) if self.alone else replace(self, common=common)


def joined(programs: Sequence[Program], ops: OpIndex, *, shared: bool = False) -> Joined:
    """Programs with equal instances and constants merged. Raises BLD043."""
    if len(programs) == 1:
        return Joined.of(programs[0])
    raise_all(_keeping(programs) if shared else ())
    made = pack_together([program.graph for program in programs], ops)
    steps = tuple(step for program in made for step in program.steps)
    common = replace(made[-1], graph=replace(made[-1].graph, name=SPACE), steps=steps)
    return Joined(common, tuple(made), shared)


def shared_arenas(joined: Joined) -> dict[str, tuple[str, int, int]]:
    """Name, bytes and alignment of the arena that all models share in each memory, by memory."""
    found: dict[str, tuple[str, int, int]] = {}
    for plan in (program.graph.plan for program in joined.programs if joined.shared):
        assert plan is not None
        for memory, size in plan.arenas.items():
            name, most, alignment = found.get(memory, (arena_name(plan, memory), 1, 1))
            found[memory] = (name, max(most, size), max(alignment, plan.alignment))
    return found


def _keeping(programs: Sequence[Program]) -> Iterator[Problem]:
    """Problems, code BLD043, of models that keep data in their arena between calls."""
    for program in programs:
        kept = [t.name for t in program.graph.tensors.values() if t.variable]
        kept += [program.graph.pushed.row] if program.graph.pushed else []
        if kept:
            what = f"{program.graph.name} keeps '{kept[0]}' in its arena between calls of invoke()"
            fix = "build without arena=shared: another model would overwrite it"
            yield Problem("BLD043", what, "command line: arena=shared", fix)


def arena_declarations(joined: Joined) -> Iterator[str]:
    """Lines of nodes.h that declare a shared arena."""
    if joined.shared:
        yield "// The arenas, which all models use in turn."
    for name, size, alignment in shared_arenas(joined).values():
        space, _, short = name.rpartition("::")
        line = f"alignas({alignment}) extern uint8_t {short}[{size}];"
        yield f"namespace {space} {{ {line} }}" if space else line


def arena_source(joined: Joined) -> str:
    """Text of arena.cc, which defines a shared arena."""
    return "\n".join([*_arena_source(joined), ""])


def _arena_source(joined: Joined) -> Iterator[str]:
    yield "// The arenas that all models use in turn."
    yield '#include "nodes.h"'
    yield ""
    for memory, (name, size, alignment) in shared_arenas(joined).items():
        section = f'[[gnu::section(".{memory}.arena")]] ' if "::" in name else ""
        space, _, short = f"{SPACE}::{name}".rpartition("::")
        yield f"namespace {space} {{"
        yield f"{section}alignas({alignment}) uint8_t {short}[{size}];"
        yield f"}}  // namespace {space}"

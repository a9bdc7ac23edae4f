"""Several models in one program: each has its header and its sequence of nodes; kernel instances
and constants are those of all, and the arena is if that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from opsmith.emit.c_api import c_header, c_source
from opsmith.emit.cpp import Among, model_source
from opsmith.emit.header import model_header
from opsmith.emit.nodes import extra_source, libraries, nodes_header, shard_sources
from opsmith.emit.operands import arena_name
from opsmith.emit.pack_weights import pack_together
from opsmith.emit.several_names import SPACE, for_c
from opsmith.emit.weights import weights_source
from opsmith.errors import Problem, raise_all
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex


@dataclass(frozen=True)
class Source:
    """Where a model comes from."""

    file: str  # its name
    sha256: str


def together(programs: Sequence[Program], ops: OpIndex) -> tuple[Program, list[Program]]:
    """What the programs have together, as one of its own, and the programs, which use that."""
    made = pack_together([program.graph for program in programs], ops)
    steps = tuple(step for program in made for step in program.steps)
    graph = replace(made[-1].graph, name=SPACE)
    return replace(made[-1], graph=graph, steps=steps), made


def several_files(
    common: Program,
    programs: Sequence[Program],
    ops: OpIndex,
    sources: Sequence[Source],
    *,
    target: str,
    binary: str,
    digest: str,
    shared: bool,
) -> dict[str, str]:
    """Every text file, by name. `binary` is the path of weights.bin, and `digest` the SHA-256 of
    its bytes; with `shared` the models have one arena, which none of them may keep anything in.
    """
    raise_all(_keeping(programs) if shared else ())
    found = {}
    for program, source in zip(programs, sources, strict=True):
        name = program.graph.name
        among = Among(f"{name}.h", SPACE, shared)
        header = model_header(program, source.file, source.sha256, target, shared=shared)
        found[f"{name}.h"] = header
        found[f"{name}.cc"] = model_source(program, ops, among=among)
        found[for_c(name, ".h")] = c_header(program, source.file, target, shared=shared)
        found[for_c(name, ".cc")] = c_source(program, f"{name}.h", for_c(name, ".h"))
    nodes = nodes_header(common, ops)
    shards = shard_sources(common, ops, Path(binary).parent.as_posix())
    return {
        **found,
        "nodes.h": _with_arenas(nodes, programs) if shared else nodes,
        **{f"nodes_{i}.cc": text for i, text in enumerate(shards)},
        "arena.cc": "\n".join([*_arena_source(programs, shared=shared), ""]),
        "sources.cc": extra_source(common, ops),
        "libraries.txt": libraries(common, ops),
        "weights.cc": weights_source(common, binary, digest),
    }


def shared_arenas(programs: Sequence[Program]) -> dict[str, tuple[str, int, int]]:
    """Memory -> name, bytes and alignment of the array that all models have there."""
    found: dict[str, tuple[str, int, int]] = {}
    for plan in (program.graph.plan for program in programs):
        assert plan is not None
        for memory, size in plan.arenas.items():
            name, most, alignment = found.get(memory, (arena_name(plan, memory), 1, 1))
            found[memory] = (name, max(most, size), max(alignment, plan.alignment))
    return found


def _keeping(programs: Sequence[Program]) -> Iterator[Problem]:
    """The models that keep something in their arena between calls. Codes BLD043."""
    for program in programs:
        kept = [t.name for t in program.graph.tensors.values() if t.variable]
        kept += [program.graph.stream.row] if program.graph.stream else []
        if kept:
            what = f"{program.graph.name} keeps '{kept[0]}' in its arena between calls of invoke()"
            fix = "build without arena=shared: another model would overwrite it"
            yield Problem("BLD043", what, "command line: arena=shared", fix)


def _with_arenas(nodes: str, programs: Sequence[Program]) -> str:
    """nodes.h with the declarations of the arenas."""
    lines = ["// The arenas, which all models use in turn."]
    for name, size, alignment in shared_arenas(programs).values():
        space, _, short = name.rpartition("::")
        line = f"alignas({alignment}) extern uint8_t {short}[{size}];"
        lines.append(f"namespace {space} {{ {line} }}" if space else line)
    end = f"\n}}  // namespace {SPACE}"
    assert end in nodes
    return nodes.replace(end, "\n" + "\n".join(lines) + "\n" + end)


def _arena_source(programs: Sequence[Program], *, shared: bool) -> Iterator[str]:
    yield "// The arenas that all models use in turn."
    if not shared:
        return
    yield '#include "nodes.h"'
    yield ""
    for memory, (name, size, alignment) in shared_arenas(programs).items():
        section = f'[[gnu::section(".{memory}.arena")]] ' if "::" in name else ""
        space, _, short = f"{SPACE}::{name}".rpartition("::")
        yield f"namespace {space} {{"
        yield f"{section}alignas({alignment}) uint8_t {short}[{size}];"
        yield f"}}  // namespace {space}"

"""Runs a model's real kernels under a checker of every byte that they read and write.

The checker (traced.h) is given the tensors that each node may read and write and their places in
the plan; it knows nothing of lifetimes, distances or directions. Only int8 accesses are seen.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from opsmith.ir import Graph
from opsmith.ir.program import Program
from opsmith.op.alias import aliases
from opsmith.op.index import OpIndex
from opsmith.testing.failures import hides
from opsmith.testing.host_firmware import NO_UNWINDING, HostFirmware, compile_host
from opsmith.testing.host_sources import write_sources
from opsmith.testing.node_accesses import Region, accesses, before_calls

__tracebackhide__ = hides

_ENDLESS = 0xFFFFFFFF
HEADER = Path(__file__).with_name("traced.h")


class _Number(NamedTuple):
    """Numbers in shadow memory for a buffer: byte i has number first + (i + phase) % row."""

    first: int
    phase: int
    row: int


def build_traced(
    programs: Sequence[tuple[Program, OpIndex]], folder: Path, conan: str = ""
) -> list[HostFirmware]:
    """Programs of different names, each with its ops, as an executable that ends with status 3
    where a node reads a wrong byte.
    """
    for program, ops in programs:
        write_sources(program, ops, folder, bare=True)
        source = folder / program.graph.name / "model.cc"
        text = source.read_text(encoding="utf-8")
        text = _with_entries(text, program, _numbers(program, ops))
        source.write_text(f"{_table(program, ops)}\n{text}", encoding="utf-8")
    flags = ["-fno-strict-aliasing", NO_UNWINDING, "-include", str(HEADER)]
    return compile_host([program for program, _ in programs], programs[0][1], folder, flags, conan)


def _with_entries(text: str, program: Program, numbers: Mapping[str, _Number]) -> str:
    """Text of model.cc with calls of the checker before every node, and at the end."""
    called = before_calls(text, program, lambda number: _entry(program, number))
    count = len(program.steps)
    last = f"  {_entry(program, count + 1)}  {_entry(program, count + 2)}"
    if program.graph.stream is not None:
        called = _with_rows(_with_taken(called, program, numbers), numbers)
    if program.graph.pushed is not None:
        return called.replace("  return true;\n", f"{last}  return true;\n")
    head, start, rest = called.partition("void invoke() {\n")
    body, end, tail = rest.partition("\n}\n")
    return f"{head}{start}  {_entry(program, 0)}{body}\n{last.rstrip()}{end}{tail}"


def _entry(program: Program, node: int) -> str:
    return f"traced::enter(traced::{_regions_name(program)}, {node}, arena, arena_bytes);\n"


def _regions_name(program: Program) -> str:
    return f"regions_of_{program.graph.name}"


def _with_taken(text: str, program: Program, numbers: Mapping[str, _Number]) -> str:
    """Text of model.cc with calls that check tensors that rows are taken from, and number rows."""
    graph = program.graph
    assert graph.plan is not None and graph.stream is not None

    def region(name: str) -> str:
        assert graph.plan is not None
        at = graph.plan.placements[name]
        numbered = ", ".join(map(str, (at.offset, at.bytes, *numbers[name])))
        return f"{{0, {numbered}, false, true, true}}"

    for row, whole in graph.stream.taken.items():
        leave = "traced::leave(arena, arena_bytes); "
        taken = f"{leave}traced::take_row({region(whole)}, {region(row)}, {row}, {whole} +"
        text = text.replace(f"memcpy({row}, {whole} +", taken)
    return text


def _with_rows(text: str, numbers: Mapping[str, _Number]) -> str:
    """Text of model.cc with calls that follow rows from their maker to their readers."""

    def number(name: str) -> str:
        row = name.removeprefix("rows::").rpartition("_last_")[0] if "::" in name else name
        return f"{numbers[row].first}, {numbers[row].row}"

    leave = "traced::leave(arena, arena_bytes); "
    text = text.replace("opsmith::drop_oldest_row(", f"{leave}traced::drop_oldest_row(")
    text = re.sub(
        r"memcpy\((\w+), (row|frame), (\d+)\);",
        lambda m: f"{leave}{m[0]} traced::new_rows({number(m[1])}, {m[1]}, {m[3]});",
        text,
    )
    text = re.sub(
        r"memset\((rows::\w+|\w+_row), -?\d+, (\d+)\);",
        lambda m: f"{leave}{m[0]} traced::new_rows({number(m[1])}, {m[1]}, {m[2]});",
        text,
    )
    return re.sub(r"memcpy\((?!\w+, (?:row|frame),)", f"{leave}traced::copy_row(", text)


def _table(program: Program, ops: OpIndex) -> str:
    graph = program.graph
    assert graph.plan is not None and len(graph.plan.arenas) == 1, "one arena is checked"
    numbers = _numbers(program, ops)
    lines = ["namespace traced {", f"constexpr Region {_regions_name(program)}[] = {{"]
    for each in _regions(program, ops):
        at = graph.plan.placements[each.buffer]
        values = (each.node, at.offset, at.bytes, *numbers[each.buffer])
        flags = (str(flag).lower() for flag in (each.output, each.seen, each.whole))
        lines.append(f"    {{{', '.join([*map(str, values), *flags])}}},  // {each.buffer}")
    lines += [
        "    {UINT32_MAX, 0, 0, 0, 0, 1, false, false, false},",
        "};",
        "}  // namespace traced",
    ]
    return "\n".join([*lines, ""])


def _regions(program: Program, ops: OpIndex) -> Iterator[Region]:
    graph = program.graph
    assert graph.plan is not None
    kept = [t.id for t in graph.tensors.values() if t.variable]
    given = () if graph.pushed is not None else graph.inputs
    yield from (Region(0, name, True, False) for name in [*given, *kept])
    for number, step in enumerate(program.steps, 1):
        if not step.in_place:
            yield from accesses(graph, ops, step.node, number)
    end = len(program.steps) + 1
    outputs = (name for name in graph.outputs if name in graph.plan.placements)
    yield from (Region(end, name, False, False) for name in [*outputs, *kept])


def _numbers(program: Program, ops: OpIndex) -> dict[str, _Number]:
    """Number of the first byte of each buffer. A tensor inside another has numbers of the outer
    one, and a buffer of several rows has the numbers of one row in each.
    """
    graph = program.graph
    assert graph.plan is not None
    outer: dict[str, tuple[str, int]] = {}
    for step in program.steps:
        if step.in_place:
            for alias in aliases(graph, step.node, ops.of(graph, step.node)):
                outer[alias.inner] = (alias.outer, alias.offset)
    own, start = {}, 1
    for name, at in graph.plan.placements.items():
        own[name], start = _Number(start, 0, _ENDLESS), start + at.bytes
    for row, name in _in_rows(graph):
        own[row] = own[name] = _Number(own[row].first, 0, graph.tensors[row].bytes)

    def number(name: str) -> _Number:
        if name not in outer:
            return own[name]
        around, offset = number(outer[name][0]), outer[name][1]
        return _Number(around.first, (around.phase + offset) % around.row, around.row)

    return {name: number(name) for name in own}


def _in_rows(graph: Graph) -> Iterator[tuple[str, str]]:
    """Pairs of a tensor of one row, and a tensor that holds rows of it."""
    if graph.stream is not None:
        yield from graph.stream.gathered.items()
        for held in graph.stream.held:
            yield from ((held.tensor, view) for view in held.views)

"""Run a model's real kernels under a checker of every byte that they read and write.

The checker (traced.h) knows from here which tensors each node may read and write and where the
plan has them; it knows nothing of lifetimes, distances or directions. What is not int8 is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolchain.ir import Graph, Node
from toolchain.ir.program import Program
from toolchain.ir.types import i8
from toolchain.op.alias import aliases
from toolchain.op.discover import OpIndex
from toolchain.testing.host_firmware import HostFirmware, compile_host, write_sources

HEADER = Path(__file__).with_name("traced.h")


@dataclass(frozen=True)
class _Region:
    """What a node reads or writes; nodes count from 1, the caller is before and behind them."""

    node: int
    buffer: str
    output: bool
    seen: bool
    whole: bool = True


def build_traced(program: Program, ops: OpIndex, folder: Path) -> HostFirmware:
    """The program as an executable that ends with status 3 where a node reads a wrong byte."""
    write_sources(program, ops, folder)
    source = folder / "model.cc"
    source.write_text(_with_entries(source.read_text(encoding="utf-8"), program), encoding="utf-8")
    (folder / "regions.cc").write_text(_table(program, ops), encoding="utf-8")
    return compile_host(program, ops, folder, ["-fno-strict-aliasing", "-include", str(HEADER)])


def _with_entries(text: str, program: Program) -> str:
    """model.cc with a call in front of every node's, and of the end."""
    head, start, rest = text.partition("void invoke() {\n")
    body, end, tail = rest.partition("\n}\n")
    numbers = iter(i for i, step in enumerate(program.steps, 1) if not step.in_place)
    called = re.sub(r"^  (?=\w)", lambda m: f"{_entry(next(numbers))}  ", body, flags=re.MULTILINE)
    assert next(numbers, None) is None, "some node is not called"
    count = len(program.steps)
    last = f"\n{_entry(count + 1)}{_entry(count + 2)}"
    return f"{head}{start}{_entry(0)}{called}{last}{end}{tail}"


def _entry(node: int) -> str:
    return f"  traced::enter({node}, arena, arena_bytes);\n"


def _table(program: Program, ops: OpIndex) -> str:
    graph = program.graph
    assert graph.plan is not None and len(graph.plan.arenas) == 1, "one arena is checked"
    numbers = _numbers(program, ops)
    lines = ["namespace traced {", "extern const Region regions[] = {"]
    for each in _regions(program, ops):
        at = graph.plan.placements[each.buffer]
        values = (each.node, at.offset, at.bytes, numbers[each.buffer])
        flags = (str(flag).lower() for flag in (each.output, each.seen, each.whole))
        lines.append(f"    {{{', '.join([*map(str, values), *flags])}}},  // {each.buffer}")
    lines += ["    {UINT32_MAX, 0, 0, 0, false, false, false},", "};"]
    return "\n".join([*lines, f"const uint32_t region_count = {len(lines) - 4};", "}", ""])


def _regions(program: Program, ops: OpIndex) -> Iterator[_Region]:
    graph = program.graph
    assert graph.plan is not None
    kept = [t.id for t in graph.tensors.values() if t.variable]
    yield from (_Region(0, name, True, False) for name in [*graph.inputs, *kept])
    for number, step in enumerate(program.steps, 1):
        if not step.in_place:
            yield from _accesses(graph, ops, step.node, number)
    end = len(program.steps) + 1
    outputs = (name for name in graph.outputs if name in graph.plan.placements)
    yield from (_Region(end, name, False, False) for name in [*outputs, *kept])


def _accesses(graph: Graph, ops: OpIndex, node: Node, number: int) -> Iterator[_Region]:
    assert graph.plan is not None
    for name in dict.fromkeys(node.inputs):
        if name is not None and name in graph.plan.placements:
            tensor = graph.tensors[name]
            yield _Region(number, name, tensor.variable, tensor.dtype == i8, whole=False)
    for name in node.outputs:
        yield _Region(number, name, True, graph.tensors[name].dtype == i8)
    assert node.kernel is not None
    for buffer in ops[node.op].kernels[node.kernel.row].scratch:
        name = f"{node.name}.{buffer.name}"
        yield _Region(number, name, True, buffer.type == i8, whole=False)


def _numbers(program: Program, ops: OpIndex) -> dict[str, int]:
    """A number for the first byte of each buffer; tensors inside others have their numbers."""
    graph = program.graph
    assert graph.plan is not None
    outer: dict[str, tuple[str, int]] = {}
    for step in program.steps:
        if step.in_place:
            for alias in aliases(graph, step.node, ops[step.node.op]):
                outer[alias.inner] = (alias.outer, alias.offset)
    own, start = {}, 1
    for name, at in graph.plan.placements.items():
        own[name], start = start, start + at.bytes

    def number(name: str) -> int:
        return number(outer[name][0]) + outer[name][1] if name in outer else own[name]

    return {name: number(name) for name in own}

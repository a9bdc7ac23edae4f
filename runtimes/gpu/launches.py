"""Files calls.cc and calls.h: tables of a program's segments, which a session runs."""

from collections.abc import Iterator, Mapping

from opsmith.emit.writing import wrapped
from opsmith.errors import ToolchainError
from opsmith.op import BackendPart
from runtimes.gpu.operands import Operand
from runtimes.gpu.source import KernelUnit, Launch
from runtimes.gpu.transfers import Transfers, transfers

ALIGNMENT = 128  # of constants, for loads of whole cache lines
MOST_BYTES = 2**31 - 1  # of the arena and of the constants, whose offsets kernels take as int

HEADER = """\
// Runs the segments of {name} on the GPU.
#pragma once

#include <stdint.h>

namespace {name}::gpu {{

void run(uint8_t* arena, uint32_t segment);

}}  // namespace {name}::gpu
"""


def calls_header(part: BackendPart) -> str:
    """Text of calls.h."""
    return HEADER.format(name=part.program.graph.name)


def calls_source(part: BackendPart, unit: KernelUnit) -> str:
    """Text of calls.cc."""
    name = part.program.graph.name
    if not part.segments:
        return f"// {name} has no nodes on the GPU.\n"
    constants = constant_places(unit)
    lines = [
        f"// What the GPU computes of {name}: a launch for each node, in segments.",
        '#include "calls.h"',
        "",
        '#include "../nodes.h"',
        '#include "runtimes/gpu/session.h"',
        "",
        *_embedded(part),
        "",
        f"namespace {name}::gpu {{",
        "namespace {",
        "",
        "using opsmith::gpu::Memory;",
        "",
        *_constant_table(constants),
    ]
    moved = transfers(part, unit.launches)
    for number, (calls, crossing) in enumerate(zip(part.segments, moved, strict=True)):
        launches = [unit.launches[call.step.node.name] for call in calls]
        lines += ["", *_segment(number, launches, constants, crossing)]
    lines += ["", "constexpr opsmith::gpu::Segment segments[] = {"]
    for number, crossing in enumerate(moved):
        lines.append(f"    {_segment_row(number, len(part.segments[number]), crossing)},")
    lines += ["};", "", *_program(part, unit, constants), "", "}  // namespace", ""]
    lines += ["void run(uint8_t* arena, uint32_t segment) {"]
    lines += [
        "  static opsmith::gpu::Session session(program, arena);",
        "  session.run(segment);",
        "}",
    ]
    return "\n".join([*lines, "", f"}}  // namespace {name}::gpu", ""])


def _embedded(part: BackendPart) -> Iterator[str]:
    """Lines with the kernels' source and PTX as byte arrays."""
    for kind, suffix in _forms(part).items():
        symbol = _symbol(part, kind)
        yield f'extern "C" const char {symbol}[], {symbol}_end[];'
        yield 'asm(R"('
        yield f'  .section .rodata.{symbol}, "a", %progbits'
        yield f"{symbol}:"
        yield f'  .incbin "{part.folder}/kernels.{suffix}"'
        yield f"{symbol}_end:"
        yield "  .byte 0"
        yield "  .text"
        yield ')");'


def _forms(part: BackendPart) -> dict[str, str]:
    """Forms of kernels that the board's drivers read, OpenCL C and PTX: name -> file suffix."""
    found = {} if part.devices == ("cuda",) else {"source": "cl"}
    return found | ({"ptx": "ptx"} if "cuda" in part.devices else {})


def constant_places(unit: KernelUnit) -> dict[str, tuple[int, int]]:
    """Place of each constant in the device's buffer of constants: symbol -> offset and bytes."""
    found: dict[str, tuple[int, int]] = {}
    end = 0
    for launch in unit.launches.values():
        for operand in launch.operands:
            if operand.symbol and operand.symbol not in found:
                found[operand.symbol] = (end, operand.bytes)
                end += -(-operand.bytes // ALIGNMENT) * ALIGNMENT
    return found


def end_of(constants: Mapping[str, tuple[int, int]]) -> int:
    """Size in bytes of the device's buffer of constants."""
    return max((offset + size for offset, size in constants.values()), default=0)


def check_reach(part: BackendPart, unit: KernelUnit) -> None:
    """Raise KRN032 where an offset in the arena or in the constants is beyond a kernel's reach."""
    sizes = {"constants": end_of(constant_places(unit))}
    sizes |= {"arena": arena_bytes(part)} if part.segments else {}
    for name, size in sizes.items():
        if size > MOST_BYTES:
            what = f"the {name} of {part.program.graph.name} would have {size:,} bytes on the GPU, "
            what += f"where kernels reach {MOST_BYTES:,}"
            fix = "take a smaller model, or another runtime"
            raise ToolchainError.of("KRN032", what, where=part.program.graph.name, fix=fix)


def arena_bytes(part: BackendPart) -> int:
    """Size in bytes of the device's arena, which has the layout of the host's."""
    plan = part.program.graph.plan
    assert plan is not None
    return max(plan.arenas.values(), default=0)


def _constant_table(constants: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    if constants:
        yield "const opsmith::gpu::Constant constants[] = {"
        for symbol, (offset, size) in constants.items():
            yield f"    {{{symbol}, {offset}, {size}}},"
        yield "};"


def _segment(
    number: int,
    launches: list[Launch],
    constants: Mapping[str, tuple[int, int]],
    crossing: Transfers,
) -> Iterator[str]:
    """Lines of a segment's tables: arguments, launches and transfers."""
    yield f"constexpr opsmith::gpu::Argument arguments_{number}[] = {{"
    for launch in launches:
        items = [_argument(operand, constants) for operand in launch.operands]
        yield wrapped("", items, f",  // {launch.node}", "    ")
    yield "};"
    yield f"constexpr opsmith::gpu::Launch launches_{number}[] = {{"
    first = 0
    for launch in launches:
        count = len(launch.operands)
        extents = ", ".join(
            f"{{{', '.join(map(str, each))}}}" for each in (launch.items, launch.group)
        )
        items = [f'{{"{launch.kernel}"', f'"{launch.node}"', extents]
        items += [f"arguments_{number} + {first}", f"{count}}}"]
        yield wrapped("", items, ",", "    ")
        first += count
    yield "};"
    for kind, ranges in (("uploads", crossing.uploads), ("downloads", crossing.downloads)):
        if ranges:
            items = [f"{{{offset}, {size}}}" for offset, size in ranges]
            yield wrapped(f"constexpr opsmith::gpu::Range {kind}_{number}[] = {{", items, "};", "")


def _argument(operand: Operand, constants: Mapping[str, tuple[int, int]]) -> str:
    if operand.symbol:
        offset, size = constants[operand.symbol]
        return f"{{Memory::constants, {offset}, {size}}}"
    return f"{{Memory::arena, {operand.offset}, {operand.bytes}}}"


def _segment_row(number: int, count: int, crossing: Transfers) -> str:
    items = [f"launches_{number}, {count}"]
    for kind, ranges in (("uploads", crossing.uploads), ("downloads", crossing.downloads)):
        items.append(f"{kind}_{number}, {len(ranges)}" if ranges else "nullptr, 0")
    return f"{{{', '.join(items)}}}"


def _program(
    part: BackendPart, unit: KernelUnit, constants: Mapping[str, tuple[int, int]]
) -> Iterator[str]:
    name = part.program.graph.name
    size = end_of(constants)
    table = f"constants, {len(constants)}, {size}" if constants else "nullptr, 0, 0"
    yield "const opsmith::gpu::Program program = {"
    yield f'    "{name}", {_text_of("source", part)},'
    yield f"    {_text_of('ptx', part)},"
    yield f"    {table}, {arena_bytes(part)},"
    yield f"    segments, {len(part.segments)}, {'true' if _floats(unit) else 'false'}}};"


def _text_of(kind: str, part: BackendPart) -> str:
    """C++ expressions of a form of the kernels: its bytes and its size."""
    if kind not in _forms(part):
        return "nullptr, 0"
    symbol = _symbol(part, kind)
    return f"{symbol}, static_cast<size_t>({symbol}_end - {symbol})"


def _symbol(part: BackendPart, kind: str) -> str:
    """Linker's name of a form of the kernels."""
    return f"{part.program.graph.name}_gpu_{kind}"


def _floats(unit: KernelUnit) -> bool:
    """True if some kernel reads or writes floats."""
    operands = (each for launch in unit.launches.values() for each in launch.operands)
    return any(each.c == "float" for each in operands)

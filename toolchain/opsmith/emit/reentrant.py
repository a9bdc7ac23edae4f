"""Writes model.cc for an arena that the caller passes: no data of a run is static, so that several
runs may be under way at once.

Buffers in the arena are members of a struct, made from the arena's address when a function is
called; the compiler computes with the address alone. Persistent buffers follow the planned tensors.
"""

from collections.abc import Iterator
from textwrap import indent

from opsmith.emit import cpp, operands
from opsmith.emit.caller_arena import arena_bytes, elements_type, persisting
from opsmith.emit.flow import in_flow
from opsmith.emit.streaming import in_passes, passes
from opsmith.emit.writing import tensor_struct
from opsmith.ir import Tensor
from opsmith.ir.program import Buffer, Program
from opsmith.op.index import OpIndex


def reentrant_source(program: Program, ops: OpIndex) -> str:
    """Text of model.cc for an arena that the caller passes."""
    graph = program.graph
    params = cpp.params_names(program, ops)
    structs = operands.structs(program, ops)
    lines = [f"// The sequence of {graph.name}, node by node.", '#include "model.h"', ""]
    lines += ["#include <string.h>", ""] if cpp.has_state(program) or graph.stream else []
    lines += ['#include "nodes.h"']
    lines += ['#include "runtimes/core/stream.h"'] if graph.stream else []
    lines += ["", f"namespace {graph.name} {{", "namespace {", ""]
    lines += [f'static_assert(arena_bytes == {arena_bytes(program)}, "of another plan");']
    lines += cpp.table_structs(program, only_own=False)
    lines += cpp.named_space("tables", structs.pop("tables"))
    lines += cpp.named_space("params", cpp.told_params(program, ops, params))
    lines += ["", "// A run in this arena.", "struct Run {", "  uint8_t* const arena;", ""]
    lines += ["  // Tensors at their planned addresses; those never live together may share bytes."]
    tensors = [t for t in graph.tensors.values() if t.constant is None]
    members = [cpp.tensor_pointer(program, tensor, "") for tensor in tensors]
    members += cpp.kept_rows(program)
    members += [_buffer(program, buffer) for buffer in operands.all_states(program)]
    members += [struct for found in structs.values() for struct in found]
    calls = [cpp.call(program, step, ops, params) for step in program.steps]
    if graph.stream is None:
        body = [*in_flow(program, calls)]
    else:
        body = [*in_passes(program, calls)]
        members += ["", *map(_constant, passes(program, calls))]
    members += ["", "void invoke() const {", *body, "}"]
    members += ["", *_const(cpp.access(program, "input", graph.inputs))]
    members += ["", *_const(cpp.access(program, "output", graph.outputs))]
    if cpp.has_state(program):
        members += ["", "void reset() const {", *_first_values(program), "}"]
    lines += [indent(member, "  ") for member in members]
    lines += ["};", "", "Run run_in(void* arena) { return {static_cast<uint8_t*>(arena)}; }", ""]
    lines += ["}  // namespace", "", *_functions(program)]
    return "\n".join([*lines, "", f"}}  // namespace {graph.name}", ""])


def _buffer(program: Program, buffer: Buffer) -> str:
    c, at = buffer.dtype.c, persisting(program)[0][buffer.symbol]
    return f"{c}* const {buffer.symbol} = reinterpret_cast<{c}*>(arena + {at});  // persists"


def _constant(line: str) -> str:
    """Line of a member function, with `const` if it begins a definition."""
    return line.replace(") {", ") const {") if line.startswith("void ") else line


def _const(lines: Iterator[str]) -> Iterator[str]:
    """Lines of a member function, with `const` in the first."""
    yield next(lines).replace(") {", ") const {")
    yield from lines


def _first_values(program: Program) -> Iterator[str]:
    for tensor in program.graph.tensors.values():
        if tensor.variable:
            yield cpp.first_value(program, tensor)
    for buffer in operands.all_states(program):
        size = buffer.elements * buffer.dtype.size
        first = "0" if buffer.initial is None else buffer.initial.symbol
        function = "memset" if buffer.initial is None else "memcpy"
        yield f"  {function}({buffer.symbol}, {first}, {size});"


def _functions(program: Program) -> Iterator[str]:
    """Definitions of the functions that model.h declares, for an arena of the caller."""
    graph = program.graph
    yield "opsmith::ArenaFault start(void* arena, size_t bytes) {"
    check = "opsmith::arena_fault(arena, bytes, arena_bytes, arena_alignment)"
    if cpp.has_state(program):
        yield f"  const opsmith::ArenaFault fault =\n      {check};"
        yield "  if (fault == opsmith::ArenaFault::none) run_in(arena).reset();"
        yield "  return fault;"
    else:
        yield f"  return {check};"
    yield "}"
    yield ""
    yield "void invoke(void* arena) { run_in(arena).invoke(); }"
    if cpp.has_state(program):
        yield "void reset(void* arena) { run_in(arena).reset(); }"
    yield ""
    yield "opsmith::Buffer input(void* arena, int index) { return run_in(arena).input(index); }"
    yield "opsmith::Buffer output(void* arena, int index) { return run_in(arena).output(index); }"
    for group, names in (("inputs", graph.inputs), ("outputs", graph.outputs)):
        for name in dict.fromkeys(names):
            yield ""
            yield from _elements(program, group, graph.tensors[name])


def _elements(program: Program, group: str, tensor: Tensor) -> Iterator[str]:
    """Definition of the function that returns a tensor's elements in an arena."""
    struct, name = tensor_struct(tensor), operands.pointer(program, tensor.id)
    of, constant = elements_type(group, tensor), tensor.id in program.constants
    yield f"{of} {group}::{struct}::operator()(void*{'' if constant else ' arena'}) const {{"
    yield (
        f"  return {{::{program.graph.name}::{name}}};"
        if constant
        else (f"  return {{run_in(arena).{name}}};")
    )
    yield "}"

"""Write model.cc: the arena, the sequence of nodes, and access to inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolchain.emit import streaming
from toolchain.emit.guards import guard_lines, guarded
from toolchain.emit.stepwise import all_calls, one_call_each
from toolchain.emit.writing import COLUMNS, comment_text, described, params_constant, wrapped
from toolchain.ir import Plan, Tensor
from toolchain.ir.program import Buffer, Program, Step
from toolchain.op.bind import runtime_inputs
from toolchain.op.describe import Op
from toolchain.op.discover import OpIndex
from toolchain.op.node import named_inputs


def model_source(program: Program, ops: OpIndex) -> str:
    """The text of model.cc."""
    graph = program.graph
    assert graph.plan is not None
    params = _params_names(program)
    lines = [f"// The sequence of {graph.name}, one line per node.", '#include "model.h"', ""]
    lines += ["#include <string.h>", ""] if has_state(program) or graph.stream else []
    lines += ['#include "nodes.h"']
    lines += ['#include "runtimes/core/stream.h"'] if graph.stream else []
    lines += ["", f"namespace {graph.name} {{", "namespace {", ""]
    lines += [*_arenas(graph.plan), ""]
    lines += ["// Tensors, where the plan puts them. What is not alive at once may share bytes."]
    lines += [_tensor_pointer(program, t) for t in graph.tensors.values() if t.constant is None]
    lines += _named_space("rows", _kept_rows(program))
    lines += _named_space("scratch", _scratch_pointers(program, ops))
    lines += _named_space("lists", _lists(program, ops))
    lines += _named_space("written", _written(program, ops))
    lines += _named_space("params", _told_params(program, ops, params))
    lines += _states(program)
    lines += guard_lines(program, arena_name) if program.guards else []
    calls = [_call(program, step, ops, params) for step in program.steps]
    calls = guarded(program, calls) if program.guards else calls
    lines += ["", "}  // namespace", "", *_invoke(program, calls)]
    inputs = () if graph.stream else graph.inputs  # a streamed one has no memory of its own
    lines += [] if graph.stream else ["", *_access(program, "input", inputs)]
    lines += ["", *_access(program, "output", graph.outputs)]
    lines += ["", *_reset(program)] if has_state(program) else []
    lines += ["", "opsmith::Overrun overrun() { return guards.found(); }"] if program.guards else []
    for group, names in (("inputs", inputs), ("outputs", graph.outputs)):
        once = dict.fromkeys(names)
        lines += [] if group == "inputs" and graph.stream else [""]
        lines += [_data_function(program, group, graph.tensors[name]) for name in once]
    return "\n".join([*lines, "", f"}}  // namespace {graph.name}", ""])


def _invoke(program: Program, calls: list[str]) -> Iterable[str]:
    """What runs the nodes."""
    if program.graph.stream is not None:
        return streaming.definitions(program, calls, _first(program))
    return (one_call_each if program.stepwise else all_calls)(calls, _first(program))


def _first(program: Program) -> list[str]:
    """What sets variables that do not begin with zeros; inputs have their values already."""
    graph = program.graph
    started = [t for t in graph.tensors.values() if t.start and t.variable]
    clears = [_cleared(tensor) for tensor in started if tensor.id not in graph.inputs]
    if not clears:
        return []
    inner = [f"  {line}" for line in clears]
    head = ["  static bool started = false;", "  if (!started) {", "    started = true;"]
    return [*head, *inner, "  }"]


def _cleared(variable: Tensor) -> str:
    return f"  memset({variable.id}, {variable.start}, {variable.bytes});"


def _kept_rows(program: Program) -> Iterator[str]:
    stream = program.graph.stream
    if stream is not None:
        every = {held.buffer: _address(program, held.buffer, "uint8_t") for held in stream.held}
        yield from streaming.buffers(program, every)


def arena_name(plan: Plan, memory: str) -> str:
    """The array in this memory: `arena` in the main one, the first of the plan."""
    return "arena" if memory == next(iter(plan.arenas)) else f"memories::in_{memory}"


def _arenas(plan: Plan) -> Iterator[str]:
    """The arrays, and that model.h is of this plan."""
    (_, size), *others = plan.arenas.items()
    unused = "" if size else "[[maybe_unused]] "  # by a model whose outputs are constants
    yield f"{unused}alignas(arena_alignment) uint8_t arena[arena_bytes];"
    yield f'static_assert(arena_bytes == {max(size, 1)}, "model.h is of another plan");'
    for memory, other in others:
        yield "namespace memories {"
        yield f'[[gnu::section(".{memory}.arena")]]'
        yield f"alignas(arena_alignment) uint8_t in_{memory}[arenas::{memory}_bytes];"
        yield f'static_assert(sizeof(in_{memory}) == {other}, "model.h is of another plan");'
        yield "}  // namespace memories"


def _address(program: Program, name: str, ctype: str) -> str:
    plan = program.graph.plan
    assert plan is not None
    at = plan.placements[name]
    return f"reinterpret_cast<{ctype}*>({arena_name(plan, at.memory)} + {at.offset})"


def has_state(program: Program) -> bool:
    """Whether anything survives invoke() or what else runs it, so that the model has reset()."""
    variable = any(tensor.variable for tensor in program.graph.tensors.values())
    return (
        program.graph.stream is not None or variable or any(step.states for step in program.steps)
    )


def _call(program: Program, step: Step, ops: OpIndex, params: dict[str, str]) -> str:
    node, op = step.node, ops[step.node.op]
    if step.in_place:
        return f"  // {', '.join(node.outputs)}: {node.op} of {node.inputs[0]}, in place"
    arguments = [_braced(_inputs(program, step, ops)), _braced(_outputs(step, op))]
    if step.instance.params is None:
        arguments.insert(0, f"params::{params[node.name]}")
    if step.tables:
        arguments.append(_braced(step.tables.values()))
    scratch = op.kernels[step.instance.row].scratch
    if scratch:
        arguments.append(_braced(f"scratch::{node.name}::{buffer.name}" for buffer in scratch))
    if step.states:
        arguments.append(_braced(buffer.symbol for buffer in step.states.values()))
    return wrapped(f"{step.instance.name}(", arguments, ");", "  ")


def _inputs(program: Program, step: Step, ops: OpIndex) -> list[str]:
    """The members of In."""
    pointers = _pointers(program, step, ops)
    return [
        f"lists::{step.node.name}" if value.variadic else pointers.get(value.name, ["nullptr"])[0]
        for value in runtime_inputs(ops[step.node.op])
    ]


def _pointers(program: Program, step: Step, ops: OpIndex) -> dict[str, list[str]]:
    """Declared input -> what the node reads for it."""
    found: dict[str, list[str]] = {}
    for value, name in named_inputs(ops[step.node.op], step.node):
        found.setdefault(value.name, []).append(_pointer(program, name))
    return found


def _lists(program: Program, ops: OpIndex) -> Iterator[str]:
    """The tensors of each variadic input, for the kernel that walks them."""
    last = {name: found.op.inputs[-1:] for name, found in ops.by_name.items()}
    steps = [
        s for s in program.steps if not s.in_place and any(v.variadic for v in last[s.node.op])
    ]
    names = {step.node.name for step in steps}  # of lists; a tensor may have one of them, too
    for step in steps:
        first = step.node.inputs[len(ops[step.node.op].inputs) - 1]
        ctype = program.graph.tensors[first or ""].dtype.c
        pointers = _pointers(program, step, ops)[last[step.node.op][0].name]
        items = [f"{program.graph.name}::{each}" if each in names else each for each in pointers]
        yield wrapped(f"const {ctype}* const {step.node.name}[] = {{", items, "};", "")


def _outputs(step: Step, op: Op) -> list[str]:
    """The members of Out."""
    single = step.node.outputs[: len(op.outputs) - op.outputs[-1].variadic]
    return [*single, f"written::{step.node.name}"] if op.outputs[-1].variadic else [*single]


def _written(program: Program, ops: OpIndex) -> Iterator[str]:
    """The tensors of each variadic output, for the kernel that writes them."""
    for step in program.steps:
        op = ops[step.node.op]
        if op.outputs[-1].variadic and not step.in_place:
            made = step.node.outputs[len(op.outputs) - 1 :]
            ctype = program.graph.tensors[made[0]].dtype.c
            items = [f"::{program.graph.name}::{name}" for name in made]  # it is called after one
            yield wrapped(f"{ctype}* const {step.node.name}[] = {{", items, "};", "")


def _params_names(program: Program) -> dict[str, str]:
    """Node -> the constant that tells its Params at run time; equal ones are one."""
    first: dict[object, str] = {}
    names = {}
    for step in program.steps:
        if step.instance.params is None and not step.in_place:
            key = (step.node.op, type(step.params), step.params)
            names[step.node.name] = first.setdefault(key, step.node.name)
    return names


def _told_params(program: Program, ops: OpIndex, names: dict[str, str]) -> Iterator[str]:
    for step in program.steps:
        if names.get(step.node.name) == step.node.name:
            yield ""
            kernel = ops[step.node.op].kernels[step.instance.row]
            struct = f"opsmith::{step.node.op}::{ops[step.node.op].params_struct(kernel)}"
            yield from params_constant(struct, step.node.name, step.params)


def _named_space(name: str, lines: Iterable[str]) -> list[str]:
    """These lines in a namespace of their own, where no tensor's name can meet theirs."""
    found = list(lines)
    if found and not found[0]:  # paragraphs, which want room at the end, too
        found.append("")
    return ["", f"namespace {name} {{", *found, f"}}  // namespace {name}"] if found else []


def _braced(items: Iterable[str]) -> str:
    return "{" + ", ".join(items) + "}"


def _pointer(program: Program, name: str | None) -> str:
    return "nullptr" if name is None else program.constants.get(name, name)


def _tensor_pointer(program: Program, tensor: Tensor) -> str:
    address = _address(program, tensor.id, tensor.dtype.c)
    named = "" if tensor.name == tensor.id else f", {comment_text(tensor.name)}"
    line = f"{tensor.dtype.c}* const {tensor.id} = {address};"
    return described(line, f"{list(tensor.shape)}{named}")


def _scratch_pointers(program: Program, ops: OpIndex) -> Iterator[str]:
    for step in program.steps:
        pointers = []
        for buffer in ops[step.node.op].kernels[step.instance.row].scratch:
            address = _address(program, f"{step.node.name}.{buffer.name}", buffer.type.c)
            pointers.append(f"{buffer.type.c}* const {buffer.name} = {address};")
        if pointers:
            yield from (f"namespace {step.node.name} {{", *pointers, "}")


def _states(program: Program) -> Iterator[str]:
    buffers = _all_states(program)
    if buffers:
        yield ""
        yield "// What survives invoke()."
    for buffer in buffers:
        start = "" if buffer.initial is None else f" = {{{_values(buffer)}}}"
        yield f"alignas(4) {buffer.dtype.c} {buffer.symbol}[{buffer.elements}]{start};"


def _all_states(program: Program) -> list[Buffer]:
    return [buffer for step in program.steps for buffer in step.states.values()]


def _values(buffer: Buffer) -> str:
    assert buffer.initial is not None
    return ", ".join(str(value) for value in buffer.initial.array.tolist())


def _reset(program: Program) -> Iterator[str]:
    yield "void reset() {"
    if program.graph.stream is not None:
        yield "  pass = 0;"
    for tensor in program.graph.tensors.values():
        if tensor.variable:
            yield _cleared(tensor)
    for buffer in _all_states(program):
        if buffer.initial is None:
            yield f"  memset({buffer.symbol}, 0, sizeof({buffer.symbol}));"
        else:
            yield f"  memcpy({buffer.symbol}, {buffer.initial.symbol}, sizeof({buffer.symbol}));"
    yield "}"


def _access(program: Program, group: str, names: tuple[str, ...]) -> Iterator[str]:
    yield f"opsmith::Buffer {group}(int index) {{"
    yield "  switch (index) {"
    for i, name in enumerate(names):
        pointer = _pointer(program, name)
        if name in program.constants:
            pointer = f"const_cast<{program.graph.tensors[name].dtype.c}*>({pointer})"
        yield f"    case {i}:"
        yield f"      return {{{pointer}, {program.graph.tensors[name].bytes}}};"
    yield "  }"
    yield "  return {nullptr, 0};"
    yield "}"


def _data_function(program: Program, group: str, tensor: Tensor) -> str:
    const = "const " if group == "outputs" else ""
    head = f"opsmith::Span<{const}{tensor.dtype.c}, {tensor.elements}> {group}::{tensor.id}::data()"
    body = f"return {{::{program.graph.name}::{_pointer(program, tensor.id)}}};"
    line = f"{head} {{ {body} }}"
    return line if len(line) <= COLUMNS else f"{head} {{\n  {body}\n}}"

"""Writes model.cc: the arena, the sequence of nodes, and access to inputs and outputs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from opsmith.contract.bind import params_struct
from opsmith.contract.literals import initializer
from opsmith.emit import operands, streaming
from opsmith.emit.emitters import NOTHING, Written
from opsmith.emit.flow import in_flow
from opsmith.emit.guards import guard_lines, guarded
from opsmith.emit.stepwise import all_calls, each_apart, one_call_each
from opsmith.emit.writing import comment_text, defined, described, struct_constant, tensor_struct
from opsmith.ir import MemoryPlan, Tensor
from opsmith.ir.program import Program, Step
from opsmith.op.index import OpIndex


@dataclass(frozen=True)
class Among:
    """Differences in the source of a model beside other models; empty for a single model."""

    header: str = ""  # name of its header, in place of model.h
    space: str = ""  # namespace of the instances and constants of all models
    shares_arena: bool = False


ALONE = Among()


def model_source(
    program: Program, ops: OpIndex, written: Written = NOTHING, among: Among = ALONE
) -> str:
    """Text of model.cc, with calls of the functions that an emitter has written."""
    graph = program.graph
    assert graph.plan is not None
    params = params_names(program, ops, written)
    lines = [f"// The sequence of {graph.name}, node by node."]
    lines += [f'#include "{among.header or "model.h"}"', ""]
    lines += ["#include <string.h>", ""] if has_state(program) or graph.stream else []
    lines += ['#include "nodes.h"', *(f'#include "{each}"' for each in written.headers)]
    lines += ['#include "runtimes/core/stream.h"'] if graph.stream else []
    lines += ["", f"namespace {graph.name} {{"]
    lines += [f"using namespace {among.space};", ""] if among.space else []
    lines += ["namespace {", ""]
    lines += [*_shared_arenas(graph.plan)] if among.shares_arena else [*_arenas(graph.plan)]
    lines += [""]
    lines += ["// Tensors at their planned addresses; those never live together may share bytes."]
    # code by an emitter may leave them unused
    unused = "[[maybe_unused]] " if written.nodes else ""
    tensors = [t for t in graph.tensors.values() if t.constant is None]
    lines += [tensor_pointer(program, tensor, unused) for tensor in tensors]
    lines += named_space("rows", kept_rows(program))
    lines += operands.state_buffers(program)
    lines += table_structs(program, only_own=bool(among.space))
    for name, structs in operands.structs(program, ops).items():
        lines += named_space(name, (f"{unused}{struct}" for struct in structs))
    lines += named_space("params", told_params(program, ops, params))
    lines += guard_lines(program) if program.guards else []
    calls = [call(program, step, ops, params, written) for step in program.steps]
    calls = guarded(program, calls) if program.guards else calls
    lines += ["", *_invoke(program, calls)]
    inputs = () if graph.pushed else graph.inputs  # pushed inputs have no memory of their own
    lines += [] if graph.pushed else ["", *access(program, "input", inputs)]
    lines += ["", *access(program, "output", graph.outputs)]
    lines += ["", *_reset(program)] if has_state(program) else []
    lines += ["", "opsmith::Overrun overrun() { return guards.found(); }"] if program.guards else []
    for group, names in (("inputs", inputs), ("outputs", graph.outputs)):
        once = dict.fromkeys(names)
        lines += [] if group == "inputs" and graph.pushed else [""]
        lines += [_data_function(program, group, graph.tensors[name]) for name in once]
    lines += _segments(program, written)
    return "\n".join([*lines, "", f"}}  // namespace {graph.name}", ""])


def _segments(program: Program, written: Written) -> Iterator[str]:
    """Lines of the functions that run segments which an emitter has written."""
    for step in program.steps:
        if body := written.bodies.get(step.node.name):
            yield ""
            yield f"[[gnu::noinline]] void {step.instance.name}() {{"
            yield f"  {body}"
            yield "}"


def _invoke(program: Program, calls: list[str]) -> list[str]:
    """Lines from the end of the unnamed namespace to the functions that run the nodes."""
    if program.graph.pushed is not None:
        return [*streaming.definitions(program, calls, _first(program))]
    if program.graph.stream is not None:
        lines = all_calls([*streaming.in_passes(program, calls)], _first(program))
        return [*streaming.passes(program, calls), "}  // namespace", "", *lines]
    if program.stepwise and calls:
        lines = one_call_each(in_flow(program, each_apart(calls)), _first(program))
    else:
        lines = all_calls(in_flow(program, calls), _first(program))
    return ["}  // namespace", "", *lines]


def _first(program: Program) -> list[str]:
    """Lines that initialise variables that do not start at zero; inputs have their values."""
    graph = program.graph
    variables = [t for t in graph.tensors.values() if t.variable and t.id not in graph.inputs]
    started = [tensor for tensor in variables if tensor.start or tensor.initial is not None]
    clears = [first_value(program, tensor) for tensor in started]
    if not clears:
        return []
    inner = [f"  {line}" for line in clears]
    head = ["  static bool started = false;", "  if (!started) {", "    started = true;"]
    return [*head, *inner, "  }"]


def first_value(program: Program, variable: Tensor) -> str:
    """Statement that gives a variable its first value."""
    if variable.initial is not None:
        first = program.constants[variable.initial]
        return f"  memcpy({variable.id}, {first}, {variable.bytes});"
    return f"  memset({variable.id}, {variable.start}, {variable.bytes});"


def kept_rows(program: Program) -> Iterator[str]:
    """Lines that define pointers to rows that are kept."""
    stream = program.graph.stream
    if stream is not None:
        each = {b: operands.address(program, b, "uint8_t") for b in (h.buffer for h in stream.held)}
        yield from streaming.buffers(program, each)


def _arenas(plan: MemoryPlan) -> Iterator[str]:
    """Yield definitions of the arenas, and assertions that model.h belongs to the plan."""
    (_, size), *others = plan.arenas.items()
    unused = "" if size else "[[maybe_unused]] "  # unused if all outputs are constants
    yield f"{unused}alignas(arena_alignment) uint8_t arena[arena_bytes];"
    yield f'static_assert(arena_bytes == {max(size, 1)}, "model.h belongs to another plan");'
    for memory, other in others:
        yield "namespace memories {"
        yield f'[[gnu::section(".{memory}.arena")]]'
        yield f"alignas(arena_alignment) uint8_t in_{memory}[arenas::{memory}_bytes];"
        yield f'static_assert(sizeof(in_{memory}) == {other}, "model.h belongs to another plan");'
        yield "}  // namespace memories"


def _shared_arenas(plan: MemoryPlan) -> Iterator[str]:
    """Yield assertions that the arenas, which all models share, are large enough."""
    for memory in plan.arenas:
        name, size = operands.arena_name(plan, memory), max(plan.arenas[memory], 1)
        yield f'static_assert(sizeof({name}) >= {size}, "the arena belongs to another plan");'


def table_structs(program: Program, *, only_own: bool) -> Iterator[str]:
    """Lines that define structs of constants which nodes read; the model's alone if `only_own`."""
    own = {symbol for step in program.steps for symbol in step.tables.values()}
    for each in (s for s in program.structs if not only_own or s.symbol in own):
        yield ""
        yield from struct_constant(each.c, each.symbol, each.value)


def has_state(program: Program) -> bool:
    """True if any data persists between calls, so that the model has reset()."""
    graph = program.graph
    variable = any(tensor.variable for tensor in graph.tensors.values())
    summing = graph.stream.eager if graph.stream and graph.stream.taken else {}  # in one invoke()
    kept = any(step.states for step in program.steps if step.node.name not in summing)
    return graph.pushed is not None or variable or kept


def call(
    program: Program, step: Step, ops: OpIndex, params: dict[str, str], written: Written = NOTHING
) -> str:
    """Lines that run a node: a comment with its kernel, output shape and cost, and the call."""
    node = step.node
    if node.name in written.followers:
        return f"  // {', '.join(node.outputs)}: {node.op}, by the call above"
    if node.name in written.bodies:
        return f"  {step.instance.name}();"
    if step.in_place:
        return f"  // {', '.join(node.outputs)}: {node.op} of {node.inputs[0]}, in place"
    arguments = operands.operands(program, step, ops)
    if step.instance.params is None:
        arguments.insert(0, f"params::{params[node.name]}")
    line = f"  {step.instance.name}({', '.join(arguments)});"
    return f"  // {_what(program, step)}\n{line}"


def _what(program: Program, step: Step) -> str:
    """Comment on a node: op and kernel, shape of the first output, measured or declared cost."""
    shape = "x".join(map(str, program.graph.tensors[step.node.outputs[0]].shape)) or "a scalar"
    assert step.node.kernel is not None
    taken = step.node.kernel.taken
    cost = "" if taken.cost is None else f", about {round(taken.cost):,} cycles"
    cost = cost if taken.measured is None else f", measured {taken.measured:,}"
    return f"{step.node.op} by {step.instance.kernel}, {shape}{cost}"


def params_names(program: Program, ops: OpIndex, written: Written = NOTHING) -> dict[str, str]:
    """Return the name of the constant with a node's run-time Params, by node. Equal constants of
    one C++ type are shared; variants may have one Python class, but a struct each.
    """
    first: dict[object, str] = {}
    names = {}
    for step in program.steps:
        ordinary = not step.in_place and step.node.name not in written.nodes
        if step.instance.params is None and ordinary:
            key = (_params_struct(step, ops), initializer(step.params))
            names[step.node.name] = first.setdefault(key, step.node.name)
    return names


def told_params(program: Program, ops: OpIndex, names: dict[str, str]) -> Iterator[str]:
    """Lines that define constants of Params that are read at run time."""
    for step in program.steps:
        if names.get(step.node.name) == step.node.name:
            yield ""
            yield from struct_constant(_params_struct(step, ops), step.node.name, step.params)


def _params_struct(step: Step, ops: OpIndex) -> str:
    made = step.instance
    return params_struct(*ops.kernel(made.op, made.types, made.index))


def named_space(name: str, lines: Iterable[str]) -> list[str]:
    """Lines in a namespace of their own, so that names in it cannot clash with those of tensors."""
    found = list(lines)
    if found and not found[0]:  # drop the empty line at the end of paragraphs, too
        found.append("")
    return ["", f"namespace {name} {{", *found, f"}}  // namespace {name}"] if found else []


def tensor_pointer(program: Program, tensor: Tensor, unused: str) -> str:
    """Definition of the pointer to a tensor."""
    address = operands.address(program, tensor.id, tensor.dtype.c)
    named = "" if tensor.name == tensor.id else f", {comment_text(tensor.name)}"
    line = f"{unused}{tensor.dtype.c}* const {tensor.id} = {address};"
    return described(line, f"{list(tensor.shape)}{named}")


def _reset(program: Program) -> Iterator[str]:
    yield "void reset() {"
    if program.graph.pushed is not None:
        yield "  pass = 0;"
    for tensor in program.graph.tensors.values():
        if tensor.variable:
            yield first_value(program, tensor)
    for buffer in operands.all_states(program):
        if buffer.initial is None:
            yield f"  memset({buffer.symbol}, 0, sizeof({buffer.symbol}));"
        else:
            yield f"  memcpy({buffer.symbol}, {buffer.initial.symbol}, sizeof({buffer.symbol}));"
    yield "}"


def access(program: Program, group: str, names: tuple[str, ...]) -> Iterator[str]:
    """Lines of the function that returns inputs or outputs by index, as bytes."""
    yield f"opsmith::Buffer {group}(int index) {{"
    yield "  switch (index) {"
    for i, name in enumerate(names):
        pointer = operands.pointer(program, name)
        if name in program.constants:
            pointer = f"const_cast<{program.graph.tensors[name].dtype.c}*>({pointer})"
        yield f"    case {i}:"
        yield f"      return {{{pointer}, {program.graph.tensors[name].bytes}}};"
    yield "  }"
    yield "  return {nullptr, 0};"
    yield "}"


def _data_function(program: Program, group: str, tensor: Tensor) -> str:
    """Definition of data() of an input or output."""
    const = "const " if group == "outputs" else ""
    where = f"::{program.graph.name}::{operands.pointer(program, tensor.id)}"
    head = f"{const}{tensor.dtype.c}* {group}::{tensor_struct(tensor)}::data()"
    return defined(head, f"return {where};")

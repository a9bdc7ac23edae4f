"""Writes the arguments of nodes in model.cc: pointers, and structs of pointers by node name.

Every struct is a constant in flash, defined once above the sequence, so that a call is short.
"""

from collections.abc import Iterable, Iterator

from opsmith.contract.bind import parameters, runtime_inputs
from opsmith.emit.writing import wrapped
from opsmith.ir import MemoryPlan
from opsmith.ir.program import Buffer, Program, Step
from opsmith.op.describe import Op
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel
from opsmith.op.node import named_inputs
from opsmith.op.typed import TypedOp


def operands(program: Program, step: Step, ops: OpIndex) -> list[str]:
    """Arguments of the node's call: tensors in braces, then structs by the node's name."""
    op, name = ops[step.node.op], step.node.name
    found = [_braced(_inputs(program, step, ops)), _braced(_outputs(program, step, op))]
    found += [f"tables::{name}"] if step.tables else []
    found += [called_as(program, "scratch", name)] if _kernel(step, ops)[1].scratch else []
    found += [called_as(program, "states", name)] if step.states else []
    return found


def structs(program: Program, ops: OpIndex) -> dict[str, Iterator[str]]:
    """Definitions to which the calls of nodes refer, by namespace."""
    return {
        "tables": tables(program, ops),
        "scratch": scratch(program, ops),
        "states": states(program, ops),
        "lists": lists(program, ops),
        "written": written(program, ops),
    }


def tables(program: Program, ops: OpIndex) -> Iterator[str]:
    """Definitions of each node's tables, as one struct."""
    names, structs = _node_names(program), {each.symbol for each in program.structs}
    for step in _called(program):
        if step.tables:
            items = [
                ("&" if symbol in structs else "") + _outside(program, symbol, names)
                for symbol in step.tables.values()
            ]
            yield _struct(step, ops, "tables", items)


def scratch(program: Program, ops: OpIndex) -> Iterator[str]:
    """Definitions of each node's scratch buffers, as one struct."""
    for step in _called(program):
        buffers = _kernel(step, ops)[1].scratch
        if buffers:
            name = step.node.name
            items = [_buffer(program, f"{name}.{b}", dtype.c) for b, dtype in buffers.items()]
            yield _struct(step, ops, "scratch", items, _defined_as(program, "scratch", name))


def _buffer(program: Program, block: str, ctype: str) -> str:
    """Pointer to a scratch buffer, nullptr for a buffer of zero bytes."""
    plan = program.graph.plan
    assert plan is not None
    return address(program, block, ctype) if plan.placements[block].bytes else "nullptr"


def state_buffers(program: Program) -> Iterator[str]:
    """Definitions of the buffers that persist between calls of invoke()."""
    buffers = all_states(program)
    if buffers:
        yield ""
        yield "// Buffers that persist between calls of invoke()."
    for buffer in buffers:
        start = "" if buffer.initial is None else f" = {{{_values(buffer)}}}"
        yield f"alignas(4) {buffer.dtype.c} {buffer.symbol}[{buffer.elements}]{start};"


def states(program: Program, ops: OpIndex) -> Iterator[str]:
    """Definitions of each node's persistent buffers, as one struct."""
    names = set() if program.reentrant else _node_names(program)
    for step in _called(program):
        if step.states:
            items = [_outside(program, each.symbol, names) for each in step.states.values()]
            name = _defined_as(program, "states", step.node.name)
            yield _struct(step, ops, "state", items, name)


def all_states(program: Program) -> list[Buffer]:
    """Persistent buffers of all nodes, in order."""
    return [buffer for step in program.steps for buffer in step.states.values()]


def lists(program: Program, ops: OpIndex) -> Iterator[str]:
    """Definitions of the tensors of each variadic input, as an array."""
    names = set() if program.reentrant else _node_names(program)
    for step in _called(program):
        last = ops[step.node.op].inputs[-1:]
        if any(value.variadic for value in last):
            first = step.node.inputs[len(ops[step.node.op].inputs) - 1]
            ctype = _element(program, step, ops, first or "")
            pointers = _pointers(program, step, ops)[last[0].name]
            items = [_outside(program, each, names) for each in pointers]
            name = _defined_as(program, "lists", step.node.name, len(items))
            yield wrapped(f"const {ctype}* const {name} = {{", items, "};", "")


def written(program: Program, ops: OpIndex) -> Iterator[str]:
    """Definitions of the tensors of each variadic output, as an array."""
    names = set() if program.reentrant else _node_names(program)
    for step in _called(program):
        op = ops[step.node.op]
        if op.outputs[-1].variadic:
            made = step.node.outputs[len(op.outputs) - 1 :]
            ctype = _element(program, step, ops, made[0])
            items = [_outside(program, name, names) for name in made]
            name = _defined_as(program, "written", step.node.name, len(items))
            yield wrapped(f"{ctype}* const {name} = {{", items, "};", "")


def _element(program: Program, step: Step, ops: OpIndex, name: str) -> str:
    """Return the C++ element type that the node's kernel sees."""
    untyped = _kernel(step, ops)[0].variant.untyped
    return "void" if untyped else program.graph.tensors[name].dtype.c


def pointer(program: Program, name: str | None) -> str:
    """Pointer to a tensor: its id, a constant's symbol, or nullptr for an absent tensor."""
    return "nullptr" if name is None else program.constants.get(name, name)


def address(program: Program, block: str, ctype: str) -> str:
    """Return the planned address of a block as a typed pointer."""
    plan = program.graph.plan
    assert plan is not None
    at = plan.placements[block]
    return f"reinterpret_cast<{ctype}*>({arena_name(plan, at.memory)} + {at.offset})"


def arena_name(plan: MemoryPlan, memory: str) -> str:
    """Name of the arena in a memory: `arena` in the main one, the first of the plan."""
    return "arena" if memory == next(iter(plan.arenas)) else f"memories::in_{memory}"


def called_as(program: Program, space: str, node: str) -> str:
    """Name by which calls refer to a node's constant of a namespace. Where the caller has the arena
    it is a member, with a name that no tensor has.
    """
    if not program.reentrant:
        return f"{space}::{node}"
    name = f"{space}_{node}"
    while name in program.graph.tensors:
        name += "_2"
    return name


def _defined_as(program: Program, space: str, node: str, length: int | None = None) -> str:
    """Name of a node's constant in its definition; with `length`, the name of an array."""
    name = called_as(program, space, node) if program.reentrant else node
    bound = "" if length is None else f"[{length if program.reentrant else ''}]"
    return f"{name}{bound}"


def _called(program: Program) -> Iterator[Step]:
    return (step for step in program.steps if not step.in_place)


def _struct(step: Step, ops: OpIndex, parameter: str, items: Iterable[str], name: str = "") -> str:
    """Definition of the constant for a parameter of the node's kernel, named after the node."""
    kind = parameters(*_kernel(step, ops))[parameter]
    return wrapped(f"const {kind} {name or step.node.name} = {{", items, "};", "")


def _kernel(step: Step, ops: OpIndex) -> tuple[TypedOp, Kernel]:
    return ops.kernel(step.node.op, step.instance.types, step.instance.index)


def _inputs(program: Program, step: Step, ops: OpIndex) -> list[str]:
    """Values of the members of struct In, which the node's kernel gets."""
    pointers = _pointers(program, step, ops)
    several = called_as(program, "lists", step.node.name)
    return [
        several if value.variadic else pointers.get(value.name, ["nullptr"])[0]
        for value in runtime_inputs(ops[step.node.op])
    ]


def _pointers(program: Program, step: Step, ops: OpIndex) -> dict[str, list[str]]:
    """Return pointers to the tensors that the node reads, by declared input."""
    found: dict[str, list[str]] = {}
    for value, name in named_inputs(ops[step.node.op], step.node):
        found.setdefault(value.name, []).append(pointer(program, name))
    return found


def _outputs(program: Program, step: Step, op: Op) -> list[str]:
    """Values of the members of struct Out, which the node's kernel gets."""
    single = step.node.outputs[: len(op.outputs) - op.outputs[-1].variadic]
    written = called_as(program, "written", step.node.name)
    return [*single, written] if op.outputs[-1].variadic else [*single]


def _node_names(program: Program) -> set[str]:
    """Return the names of nodes in the namespaces of tables, scratch, states and lists."""
    return {step.node.name for step in program.steps}


def _outside(program: Program, name: str, hidden: set[str]) -> str:
    """Return a name, qualified where a namespace of node names hides it."""
    return f"::{program.graph.name}::{name}" if name in hidden else name


def _braced(items: Iterable[str]) -> str:
    return "{" + ", ".join(items) + "}"


def _values(buffer: Buffer) -> str:
    assert buffer.initial is not None
    return ", ".join(str(value) for value in buffer.initial.array.tolist())

"""Write a program as C++: model.h, model.cc, nodes.h and the shards of kernel instances."""

from __future__ import annotations

from collections.abc import Iterator

from toolchain.emit.weights import declarations
from toolchain.emit.writing import comment_text, shape_fields_text, wrapped
from toolchain.ir import Tensor
from toolchain.ir.program import Instance, Program, Step
from toolchain.op.bind import (
    call_signature,
    runtime_inputs,
    static_struct,
)
from toolchain.op.discover import OpIndex

SHARDS = 4


def model_source(program: Program, ops: OpIndex) -> str:
    """The text of model.cc: the arena, the sequence of nodes, and access to inputs and outputs."""
    graph = program.graph
    assert graph.plan is not None
    lines = [f"// The sequence of {graph.name}, one line per node.", '#include "model.h"', ""]
    lines += ['#include "nodes.h"', "", f"namespace {graph.name} {{", "namespace {", ""]
    lines += ["alignas(arena_alignment) uint8_t arena[arena_bytes];", ""]
    lines += ["// Tensors, where the plan puts them. What is not alive at once may share bytes."]
    lines += [_tensor_pointer(program, t) for t in graph.tensors.values() if t.constant is None]
    lines += [*_scratch_pointers(program, ops), *_shapes(program, ops)]
    lines += ["", "}  // namespace", "", "void invoke() {"]
    lines += [_call(program, step, ops) for step in program.steps]
    lines += [
        "}",
        "",
        *_access(program, "input", graph.inputs),
        "",
        *_access(program, "output", graph.outputs),
    ]
    for group, names in (("inputs", graph.inputs), ("outputs", graph.outputs)):
        lines += [""]
        for name in names:
            lines += [_data_function(program, group, graph.tensors[name])]
    return "\n".join([*lines, "", f"}}  // namespace {graph.name}", ""])


def nodes_header(program: Program, ops: OpIndex) -> str:
    """The text of nodes.h: the kernel instances and the constants of the model."""
    lines = [f"// Kernel instances and constants of {program.graph.name}.", "#pragma once", ""]
    used = sorted({instance.op for instance in program.instances})
    lines += [f'#include "{op}.op.h"' for op in used]
    lines += ["", f"namespace {program.graph.name} {{", ""]
    lines += [f"{_signature(instance, ops)};" for instance in program.instances]
    lines += ["", *declarations(program), ""]
    return "\n".join([*lines, f"}}  // namespace {program.graph.name}", ""])


def shard_source(program: Program, ops: OpIndex, shard: int) -> str:
    """The text of nodes_<shard>.cc: the instances of the ops that are dealt to it."""
    mine = [instance for instance in program.instances if _shards(program)[instance.op] == shard]
    lines = [f"// Kernel instances of {program.graph.name}, part {shard + 1} of {SHARDS}."]
    lines += ['#include "nodes.h"'] if mine else []
    headers = dict.fromkeys(f"{instance.op}/{instance.source}" for instance in mine)
    lines += ["", *(f'#include "{header}"' for header in headers)] if mine else []
    lines += ["", f"namespace {program.graph.name} {{"]
    for instance in mine:
        lines += ["", *_instance(program, instance, ops)]
    return "\n".join([*lines, "", f"}}  // namespace {program.graph.name}", ""])


def _shards(program: Program) -> dict[str, int]:
    """Op -> shard: those with most instances first, dealt round."""
    counts: dict[str, int] = {}
    for instance in program.instances:
        counts[instance.op] = counts.get(instance.op, 0) + 1
    order = sorted(counts, key=lambda op: (-counts[op], op))
    return {op: i % SHARDS for i, op in enumerate(order)}


def _signature(instance: Instance, ops: OpIndex) -> str:
    op = ops[instance.op]
    kernel = op.kernels[instance.row]
    space = f"opsmith::{op.name}"
    ctypes = {name: dtype.c for name, dtype in instance.dtypes}
    types = call_signature(op, kernel, instance.symbol, ctypes).types
    names = ["in", "out", *_optional_arguments(instance, ops)]
    arguments = [f"const {space}::{kind}& {name}" for kind, name in zip(types, names, strict=True)]
    if instance.shape is None:
        arguments.insert(0, f"const {space}::{op.shape_struct(kernel)}& shape")
    return wrapped(f"void {instance.name}(", arguments, ")", "")


def _optional_arguments(instance: Instance, ops: OpIndex) -> list[str]:
    op = ops[instance.op]
    kernel = op.kernels[instance.row]
    return ["tables"] * (op.tables_of(kernel) is not None) + ["scratch"] * bool(kernel.scratch)


def _instance(program: Program, instance: Instance, ops: OpIndex) -> Iterator[str]:
    op = ops[instance.op]
    struct = op.shape_struct(op.kernels[instance.row])
    users = [step.node.name for step in program.steps if step.instance == instance]
    shape = "shape"
    if instance.shape is not None:
        shape = f"opsmith::{op.name}::{static_struct(struct)}<{instance.name}_shape>{{}}"
        yield f"constexpr opsmith::{op.name}::{struct} {instance.name}_shape = {{"
        yield from (f"    {line}" for line in shape_fields_text(instance.shape))
        yield "};"
        yield ""
    yield wrapped("// For ", users, ".", "").replace("\n    ", "\n// ")
    arguments = ["in", "out", *_optional_arguments(instance, ops)]
    yield f"{_signature(instance, ops)} {{"
    yield wrapped(f"opsmith::{op.name}::{instance.symbol}(", [shape, *arguments], ");", "  ")
    yield "}"


def _call(program: Program, step: Step, ops: OpIndex) -> str:
    node, op = step.node, ops[step.node.op]
    if step.in_place:
        return f"  // {node.outputs[0]}: {node.op} of {node.inputs[0]}, in place"
    names = dict(zip([value.name for value in op.inputs], node.inputs, strict=True))
    inputs = [_pointer(program, names[value.name]) for value in runtime_inputs(op)]
    arguments = [_braced(inputs), _braced(node.outputs)]
    if step.instance.shape is None:
        arguments.insert(0, _shape_names(program)[step.node.name])
    if step.tables:
        arguments.append(_braced(step.tables.values()))
    kernel = op.kernels[step.instance.row]
    if kernel.scratch:
        arguments.append(_braced(f"{node.name}_{buffer.name}" for buffer in kernel.scratch))
    return wrapped(f"{step.instance.name}(", arguments, ");", "  ")


def _shape_names(program: Program) -> dict[str, str]:
    """Node -> the constant that tells its Shape at run time; equal Shapes are one."""
    first: dict[object, str] = {}
    names = {}
    for step in program.steps:
        if step.instance.shape is None and not step.in_place:
            key = (step.node.op, type(step.shape), step.shape)
            names[step.node.name] = first.setdefault(key, f"{step.node.name}_shape")
    return names


def _shapes(program: Program, ops: OpIndex) -> Iterator[str]:
    names = _shape_names(program)
    for step in program.steps:
        if names.get(step.node.name) == f"{step.node.name}_shape":
            op = ops[step.node.op]
            struct = op.shape_struct(op.kernels[step.instance.row])
            yield f"\nconstexpr opsmith::{op.name}::{struct} {step.node.name}_shape = {{"
            yield from (f"    {line}" for line in shape_fields_text(step.shape))
            yield "};"


def _braced(items: object) -> str:
    assert hasattr(items, "__iter__")
    return "{" + ", ".join(items) + "}"


def _pointer(program: Program, name: str | None) -> str:
    return "nullptr" if name is None else program.constants.get(name, name)


def _tensor_pointer(program: Program, tensor: Tensor) -> str:
    plan = program.graph.plan
    assert plan is not None
    offset, ctype = plan.placements[tensor.id].offset, tensor.dtype.c
    what = f"{list(tensor.shape)}, {comment_text(tensor.name)}"
    return f"{ctype}* const {tensor.id} = reinterpret_cast<{ctype}*>(arena + {offset});  // {what}"


def _scratch_pointers(program: Program, ops: OpIndex) -> Iterator[str]:
    plan = program.graph.plan
    assert plan is not None
    for step in program.steps:
        for buffer in ops[step.node.op].kernels[step.instance.row].scratch:
            offset = plan.placements[f"{step.node.name}.{buffer.name}"].offset
            name, ctype = f"{step.node.name}_{buffer.name}", buffer.type.c
            yield f"{ctype}* const {name} = reinterpret_cast<{ctype}*>(arena + {offset});"


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
    span = f"opsmith::Span<{const}{tensor.dtype.c}, {tensor.elements}>"
    pointer = _pointer(program, tensor.id)
    return f"{span} {group}::{tensor.id}::data() {{ return {{{program.graph.name}::{pointer}}}; }}"

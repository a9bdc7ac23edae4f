"""Writes `<op>.op.h`, the C++ contract of an op: types of its kernels' arguments, from op.py.

Kernel `dsp` is a function template in namespace `opsmith::<op>`, or that of its variant in it,

    template <class P> void dsp(const P& p, const In<T>& in, const Out<T>& out
        [, const Tables& tables] [, const Scratch& scratch] [, const State& state]);

overloaded where several variants have it. P is `Static<params>`, whose members are compile-time
constants, or `Params` itself, which is read at run time. T is the element type, or void where
variants only move elements.
"""

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import wrap

from opsmith.contract.assertion_form import LAYOUT
from opsmith.contract.field_comments import field_comments
from opsmith.contract.struct_names import scratch_name, static_name
from opsmith.ir import DType
from opsmith.op.declare import Input, Output
from opsmith.op.describe import Op
from opsmith.op.fields import Member, TableField, layout, members, table_fields, table_structs
from opsmith.op.index import OpFolder
from opsmith.op.kernel import Kernel
from opsmith.op.typed import TypedOp

COLUMNS = 100


def bind(found: OpFolder) -> str:
    """Text of `<op>.op.h`."""
    op = found.op
    lines = [
        *_documentation(found),
        "//",
        f"// Generated from {found.folder.name}/op.py: what its kernels are given.",
        "#pragma once",
        "",
        "#include <stdint.h>",
        "",
        f"namespace {namespace(op)} {{",
    ]
    lines += ["", *_tensors(op, "In", runtime_inputs(op)), "", *_tensors(op, "Out", op.outputs)]
    if op.states:
        lines += ["", *_state(op)]
    for folder in dict.fromkeys(variant.folder for variant in op.variants):
        kernels = _kernels(found, folder)
        lines += ["", *_structs(folder, kernels), *_declarations(kernels)]
        lines += ["", f"}}  // namespace {_space(folder)}"] if folder else []
    return "\n".join([*lines, "", f"}}  // namespace {namespace(op)}", ""])


def bind_backend(found: OpFolder, backend: Path) -> str:
    """Text of `<backend>/<op>.op.h`: types of the arguments of the backend's kernels for the op."""
    op, name = found.op, backend.name
    kernels = [pair for pair in _all_kernels(found) if pair[1].backend == backend.resolve()]
    lines = [
        f"// Generated from {name}/{op.name}.py: what its kernels for {op.name} are given.",
        "#pragma once",
        "",
        f"#include <{op.name}.op.h>",  # in quotes, it would be this file: its name is the same
        "",
        f"namespace {namespace(op)} {{",
        *["", *_structs(name, kernels), *_declarations(kernels)],
        *["", f"}}  // namespace {name}", "", f"}}  // namespace {namespace(op)}", ""],
    ]
    return "\n".join(lines)


def contract_header(op: str, kernel: Kernel) -> str:
    """Generated header with the types of a kernel's arguments, as it is included."""
    return f"{op}.op.h" if kernel.backend is None else f"{kernel.backend.name}/{op}.op.h"


def namespace(op: Op, kernel: Kernel | None = None) -> str:
    """C++ namespace of an op, or of one of its kernels."""
    inner = "" if kernel is None else kernel.folder
    if kernel is not None and kernel.backend is not None:
        inner = kernel.backend.name
    return f"opsmith::{op.name}" + (f"::{_space(inner)}" if inner else "")


def runtime_inputs(op: Op) -> tuple[Input, ...]:
    """Inputs to which kernels get a pointer: those that need not be constant."""
    return tuple(value for value in op.inputs if not value.constant)


def parameters(op: TypedOp, kernel: Kernel) -> dict[str, str]:
    """C++ types of a kernel's parameters after its params, with namespaces, by name."""
    outer, inner = namespace(op), namespace(op, kernel)
    arguments = _arguments(op, template_variables(op))
    found = {"in": f"{outer}::In{arguments}", "out": f"{outer}::Out{arguments}"}
    if kernel.tables is not None:
        found["tables"] = f"{inner}::{kernel.tables.__name__}"
    if kernel.scratch:
        found["scratch"] = f"{inner}::{scratch_name(kernel)}"
    if op.states:
        found["state"] = f"{outer}::State{_arguments(op, state_variables(op))}"
    return found


def params_struct(op: Op, kernel: Kernel) -> str:
    """C++ type of a kernel's params at run time."""
    return f"{namespace(op, kernel)}::{kernel.params.__name__}"


def element_type(op: Op, kernel: Kernel, field: TableField) -> str:
    """C++ type of the elements of a kernel's table, with its namespace."""
    space = "" if isinstance(field.element, DType) else f"{namespace(op, kernel)}::"
    return f"{space}{_element(field)}"


def static_struct(op: Op, kernel: Kernel, constant: str) -> str:
    """C++ type of a kernel's params at compile time, from the constant that has them."""
    return f"{namespace(op, kernel)}::{static_name(kernel.params)}<{constant}>"


def _space(folder: str) -> str:
    return folder.replace("/", "::")


def _arguments(op: TypedOp, variables: Iterable[str]) -> str:
    """Template arguments such as '<int8_t>' for a struct that depends on type variables."""
    given = [op.c_types[name] for name in variables]
    return f"<{', '.join(given)}>" if given else ""


def state_variables(op: Op) -> list[str]:
    """Type variables on which struct State depends."""
    named = {state.type for state in op.states}
    return [name for name in op.variables if name in named]


def template_variables(op: Op) -> list[str]:
    """Type variables on which structs In and Out depend, without those of constants alone."""
    values: tuple[Input | Output, ...] = (*runtime_inputs(op), *op.outputs)
    named = {value.type for value in values}
    return [name for name in op.variables if name in named]


def _kernels(found: OpFolder, folder: str) -> list[tuple[TypedOp, Kernel]]:
    """Kernels in a folder that belong to the op, not to a backend, each with its typed op."""
    own = [pair for pair in _all_kernels(found) if pair[1].backend is None]
    return [(op, kernel) for op, kernel in own if op.variant.folder == folder]


def _all_kernels(found: OpFolder) -> list[tuple[TypedOp, Kernel]]:
    return [(op, kernel) for op in found.typed.values() for kernel in op.kernels]


def _structs(folder: str, kernels: Iterable[tuple[TypedOp, Kernel]]) -> Iterator[str]:
    """Namespace of a folder with the structs of its kernels' arguments, equal ones once."""
    if folder:
        yield f"namespace {_space(folder)} {{"
        yield ""
    structs: dict[str, list[str]] = {}
    for _, kernel in kernels:
        structs.setdefault(kernel.params.__name__, [*_params(kernel.params)])
        if kernel.tables is not None:
            for struct in table_structs(kernel.tables):
                structs.setdefault(struct.__name__, [*_table_struct(struct)])
            structs.setdefault(kernel.tables.__name__, [*_tables(kernel.tables)])
        if kernel.scratch:
            structs.setdefault(scratch_name(kernel), [*_scratch(kernel)])
    for lines in structs.values():
        yield from [*lines, ""]


def _declarations(kernels: Iterable[tuple[TypedOp, Kernel]]) -> Iterator[str]:
    """Comment lines with the kernel templates that each source file must define."""
    wanted: dict[str, None] = {}
    for op, kernel in kernels:
        if not (kernel.function or kernel.emitter or kernel.runtime):
            types = ", ".join(f"const {kind}&" for kind in ("P", *_unqualified(op, kernel)))
            wanted[f"{kernel.source}: template <class P> void {kernel.name}({types});"] = None
    yield "// What kernels must define, for P of their params and of each Static:"
    for each in wanted:
        yield from wrap(each, COLUMNS, initial_indent="// ", subsequent_indent="//   ")


def _unqualified(op: TypedOp, kernel: Kernel) -> list[str]:
    return [kind.rpartition("::")[2] for kind in parameters(op, kernel).values()]


def _params(owner: type) -> Iterator[str]:
    name = owner.__name__
    yield from _struct(owner)
    yield ""
    yield f"// The same, known at compile time: {static_name(owner)}<params>{{}}."
    yield f"template <const {name}& kParams>"
    yield f"struct {static_name(owner)} {{"
    for each in members(owner):
        if each.length is None:
            yield f"  static constexpr {each.dtype.c} {each.name} = kParams.{each.name};"
        else:
            member = f"(&{each.name})[{each.length}]"
            yield f"  static constexpr const {each.dtype.c} {member} = kParams.{each.name};"
    yield "};"


def _struct(owner: type) -> Iterator[str]:
    yield from _doc(owner)
    yield f"struct {owner.__name__} {{"
    for each in members(owner):
        yield from _described(f"  {_member(each)};", field_comments(owner).get(each.name, ""))
    yield "};"


def _described(line: str, comment: str) -> Iterator[str]:
    """Line with a comment, in ASCII, after it, or above it where both do not fit."""
    comment = comment.encode("ascii", "replace").decode()
    if not comment or len(f"{line}  // {comment}") <= COLUMNS:
        yield f"{line}  // {comment}" if comment else line
    else:
        yield from wrap(comment, COLUMNS, initial_indent="  // ", subsequent_indent="  // ")
        yield line


def _documentation(found: OpFolder) -> Iterator[str]:
    for line in (inspect.getdoc(found.module) or found.title).splitlines():
        for each in wrap(line, COLUMNS, initial_indent="// ", subsequent_indent="// ") or ["//"]:
            yield each.rstrip(" \\")  # a backslash would join the next line to it


def _member(member: Member) -> str:
    many = "" if member.length is None else f"[{member.length}]"
    return f"{member.dtype.c} {member.name}{many}"


def _table_struct(owner: type) -> Iterator[str]:
    name = owner.__name__
    yield from _struct(owner)
    yield f'static_assert(sizeof({name}) == {layout(owner).itemsize}, "{LAYOUT}");'


def _tables(owner: type) -> Iterator[str]:
    yield from _doc(owner)
    yield f"struct {owner.__name__} {{"
    for field in table_fields(owner):
        one = "one of them" if field.single else ""
        comment = field_comments(owner).get(field.name, one)
        yield from _described(f"  const {_element(field)}* {field.name};", comment)
    yield "};"


def _element(field: TableField) -> str:
    """C++ type of a table's elements, in the namespace of its kernel."""
    return field.element.c if isinstance(field.element, DType) else field.element.__name__


def _tensors(op: Op, struct: str, values: tuple[Input, ...] | tuple[Output, ...]) -> Iterator[str]:
    yield from _template(template_variables(op))
    yield f"struct {struct} {{"
    for value in values:
        yield f"  {_pointer(value)}"
    yield "};"


def _template(variables: list[str]) -> Iterator[str]:
    if variables:
        yield f"template <{', '.join(f'class {name}' for name in variables)}>"


def _pointer(value: Input | Output) -> str:
    ctype = value.type if isinstance(value.type, str) else value.type.c
    if isinstance(value, Output):
        several = f"{ctype}* const* {value.name};  // one pointer for each tensor"
        return several if value.variadic else f"{ctype}* {value.name};"
    if value.state:
        return f"{ctype}* {value.name};  // survives invoke()"
    if value.variadic:
        return f"const {ctype}* const* {value.name};  // one pointer for each tensor"
    return f"const {ctype}* {value.name};{'  // null: absent' if value.optional else ''}"


def _state(op: Op) -> Iterator[str]:
    yield "// Buffers that survive invoke()."
    yield from _template(state_variables(op))
    yield "struct State {"
    for state in op.states:
        ctype = state.type if isinstance(state.type, str) else state.type.c
        yield f"  {ctype}* {state.name};"
    yield "};"


def _scratch(kernel: Kernel) -> Iterator[str]:
    yield f"// Buffers that {kernel.source} may use while it runs."
    yield f"struct {scratch_name(kernel)} {{"
    yield from (f"  {dtype.c}* {name};" for name, dtype in kernel.scratch.items())
    yield "};"


def _doc(owner: type) -> Iterator[str]:
    """First paragraph of the docstring of a struct, as comments."""
    paragraph = (inspect.getdoc(owner) or "").partition("\n\n")[0]
    text = paragraph.encode("utf-8", "replace").decode()
    for line in wrap(text, COLUMNS, initial_indent="// ", subsequent_indent="// ") or ["//"]:
        yield line.rstrip(" \\")  # a backslash would join the next line to it

"""Write `<op>.op.h`, the C++ contract of an op: what its kernels are given, generated from op.py.

A kernel is a function template in namespace `opsmith::<op>`

    template <class P> void <op>_<dtypes>_<backend>(const P& p, const In<T>& in, const Out<T>& out
        [, const Tables& tables] [, const Scratch& scratch] [, const State& state]);

of the type that `<op>.op.h` calls after its file: ReferenceKernel<P, T>. P is `Static<params>`,
whose members are compile-time constants, or `Params` itself (opt=size).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from toolchain.op.describe import Input, Kernel, Op, Output
from toolchain.op.discover import OpFolder
from toolchain.op.fields import ParamsField, params_fields, returned_class, table_fields


def bind(found: OpFolder) -> str:
    """The text of `<op>.op.h`."""
    op = found.op
    lines = [
        *_documentation(found),
        "//",
        f"// Generated from {found.folder.name}/op.py: what its kernels are given.",
        "#pragma once",
        "",
        "#include <stdint.h>",
        "",
        f"namespace {runtime_namespace(op)} {{",
    ]
    for function in _unique(op.params_of(kernel) for kernel in op.kernels):
        lines += ["", *_params(function)]
    for tables in _unique(op.tables_of(kernel) for kernel in op.kernels):
        lines += ["", *_tables(tables)]
    lines += ["", *_tensors(op, "In", runtime_inputs(op)), "", *_tensors(op, "Out", op.outputs)]
    for kernel in {scratch_struct(row): row for row in op.kernels if row.scratch}.values():
        lines += ["", *_scratch(kernel)]
    if op.states:
        lines += ["", *_state(op)]
    for kernel in _one_of_each_type(op):
        lines += ["", *_kernel_type(op, kernel)]
    return "\n".join([*lines, "", f"}}  // namespace {runtime_namespace(op)}", ""])


def runtime_namespace(op: Op) -> str:
    """The C++ namespace of an op."""
    return f"opsmith::{op.name}"


def runtime_inputs(op: Op) -> tuple[Input, ...]:
    """The inputs that kernels get a pointer to: those that are not constant-only."""
    return tuple(value for value in op.inputs if not value.constant)


def template_arguments(op: Op, ctypes: dict[str, str]) -> str:
    """'<int8_t>' for In and Out of an op with domain variables, '' for one without."""
    return f"<{', '.join(ctypes[name] for name in op.domains)}>" if op.domains else ""


def scratch_struct(kernel: Kernel) -> str:
    """The C++ name of a kernel's scratch struct: 'ReferenceScratch'."""
    return f"{_backend(kernel)}Scratch"


def kernel_type(kernel: Kernel) -> str:
    """The C++ name of the type that a kernel's function has: 'ReferenceKernel'."""
    return f"{_backend(kernel)}Kernel"


def _backend(kernel: Kernel) -> str:
    return "".join(part.capitalize() for part in kernel.backend.split("_"))


def static_struct(params_struct: str) -> str:
    """The C++ name of the compile-time form of a Params struct."""
    return f"Static{params_struct.removesuffix('Params')}"


def _params(function: Callable[..., Any]) -> Iterator[str]:
    name, fields = returned_class(function).__name__, params_fields(function)
    yield f"// {_doc(function)}"
    yield f"struct {name} {{"
    yield from (f"  {_member(field)};" for field in fields)
    yield "};"
    yield ""
    yield f"// The same, known at compile time: {static_struct(name)}<params>{{}}."
    yield f"template <const {name}& kParams>"
    yield f"struct {static_struct(name)} {{"
    for field in fields:
        if field.length is None:
            yield f"  static constexpr {field.c} {field.name} = kParams.{field.name};"
        else:
            member = f"(&{field.name})[{field.length}]"
            yield f"  static constexpr const {field.c} {member} = kParams.{field.name};"
    yield "};"


def _documentation(found: OpFolder) -> Iterator[str]:
    for line in (inspect.getdoc(found.module) or found.title).splitlines():
        yield f"// {line}".rstrip(" \\")  # a backslash would join the next line to it


def _member(field: ParamsField) -> str:
    return f"{field.c} {field.name}" + ("" if field.length is None else f"[{field.length}]")


def _tables(function: Callable[..., Any]) -> Iterator[str]:
    yield f"// {_doc(function)}"
    yield f"struct {returned_class(function).__name__} {{"
    yield from (f"  const {field.dtype.c}* {field.name};" for field in table_fields(function))
    yield "};"


def _tensors(op: Op, struct: str, values: tuple[Input, ...] | tuple[Output, ...]) -> Iterator[str]:
    if op.domains:
        yield f"template <{', '.join(f'class {name}' for name in op.domains)}>"
    yield f"struct {struct} {{"
    for value in values:
        yield f"  {_pointer(value)}"
    yield "};"


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
    yield "struct State {"
    yield from (f"  {state.type.c}* {state.name};" for state in op.states)
    yield "};"


def _scratch(kernel: Kernel) -> Iterator[str]:
    yield f"// Buffers that {kernel.source} may use while it runs."
    yield f"struct {scratch_struct(kernel)} {{"
    yield from (f"  {buffer.type.c}* {buffer.name};" for buffer in kernel.scratch)
    yield "};"


def _one_of_each_type(op: Op) -> list[Kernel]:
    rows = [kernel for kernel in op.kernels if not kernel.function]
    return list({kernel_type(kernel): kernel for kernel in rows}.values())


def _kernel_type(op: Op, kernel: Kernel) -> Iterator[str]:
    given = parameters(op, kernel, {name: name for name in op.domains})
    types = ", ".join(f"const {kind}&" for kind in ("P", *given.values()))
    yield f"// What {kernel.source} must define, for S of Params and of each Static."
    yield f"template <{', '.join(f'class {name}' for name in ('P', *op.domains))}>"
    yield f"using {kernel_type(kernel)} = void({types});"


def _doc(function: Callable[..., Any]) -> str:
    lines = (inspect.getdoc(returned_class(function)) or "").splitlines()
    text = lines[0].encode("utf-8", "replace").decode() if lines else ""
    return text.rstrip(" \\")  # a backslash would join the next line to it


def _unique(functions: Iterator[Callable[..., Any] | None]) -> list[Callable[..., Any]]:
    structs = {returned_class(f).__name__: f for f in functions if f is not None}
    return list(structs.values())


def parameters(op: Op, kernel: Kernel, ctypes: dict[str, str]) -> dict[str, str]:
    """What a kernel is given after its Params: parameter name -> C++ type."""
    arguments = template_arguments(op, ctypes)
    found = {"in": f"In{arguments}", "out": f"Out{arguments}"}
    tables = op.tables_of(kernel)
    if tables is not None:
        found["tables"] = returned_class(tables).__name__
    if kernel.scratch:
        found["scratch"] = scratch_struct(kernel)
    if op.states:
        found["state"] = "State"
    return found

"""Assertions about kernels, for generated code: a message about one leads to its row in op.py."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from toolchain.ir import DType
from toolchain.op.bind import kernel_type, runtime_namespace
from toolchain.op.describe import Kernel
from toolchain.op.discover import OpFolder

HEADER = "runtimes/core/kernel_contract.h"
BACK = "#line BACK"  # where the lines after it are those of the generated file again


def assertion(found: OpFolder, kernel: Kernel, dtypes: Iterable[DType]) -> Iterator[str]:
    """A static_assert that the kernel has the declared name, types and parameters.

    It stands in the op's namespace, behind the kernel's header. Of a function that exists already
    only calls can be checked.
    """
    if kernel.function:
        return
    types = list(dtypes)
    symbol, wanted = found.op.symbol(kernel, types), kernel_type(kernel)
    struct = found.op.params_struct(kernel)
    arguments = ", ".join([struct, *(dtype.c for dtype in types)])
    yield "static_assert("
    yield line(found, kernel)
    yield f"    decltype(fits<{wanted}<{arguments}>>({symbol}<{struct}>))::value,"
    yield f'    "{symbol} is no {wanted}, as {found.op.name}.op.h declares it");'


def asserted(
    found: OpFolder, kernel: Kernel, combinations: Iterable[tuple[DType, ...]]
) -> list[str]:
    """The assertions for these types, in the op's namespace; nothing where there are none."""
    lines = [text for types in combinations for text in assertion(found, kernel, types)]
    space = runtime_namespace(found.op)
    return [f"namespace {space} {{", *lines, BACK, f"}}  // namespace {space}"] if lines else []


def included(op: str, kernel: Kernel, file: str) -> Iterator[str]:
    """The lines that include a file of an op's folder for one of its kernels."""
    yield from (f"#define {name} {value}".rstrip() for name, value in kernel.defines.items())
    yield f'#include "{op}/{file}"'
    yield from (f"#undef {name}" for name in kernel.defines)


def line(found: OpFolder, kernel: Kernel) -> str:
    """The directive that makes the next line that of the kernel's row."""
    return f'#line {row_line(found, kernel)} "{shown_path(found.file)}"'


def with_lines_back(text: str, path: str) -> str:
    """The text of a file of this path, its lines numbered as they are behind each BACK."""
    lines = text.split("\n")
    return "\n".join(
        f'#line {i + 2} "{path}"' if each == BACK else each for i, each in enumerate(lines)
    )


def row_line(found: OpFolder, kernel: Kernel) -> int:
    """The line of op.py that declares a kernel; 1 where it is not spelled out."""
    lines = _mentions(found.file.read_text(encoding="utf-8"))
    rows = [line for line, word in lines if word == kernel.source]
    place = [row for row in found.op.kernels if row.source == kernel.source].index(kernel)
    return rows[min(place, len(rows) - 1)] if rows else 1


@lru_cache(maxsize=256)
def _mentions(source: str) -> tuple[tuple[int, str], ...]:
    """The line of each call in a Python source, with each text among its arguments; sorted."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return tuple(sorted((call.lineno, word) for call in calls for word in _words(call)))


def _words(call: ast.Call) -> set[str]:
    values = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    return {value for value in values if isinstance(value, str)}


def shown_path(file: Path) -> str:
    """The path from where the compiler runs, for a file below it."""
    full, here = file.resolve(), Path.cwd()
    return (full.relative_to(here) if full.is_relative_to(here) else full).as_posix()

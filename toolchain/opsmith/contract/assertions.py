"""Assertions about kernels in generated code, whose messages lead to the registration."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from textwrap import wrap

from opsmith.contract.bind import COLUMNS, contract_header, namespace, parameters
from opsmith.home import is_from_elsewhere
from opsmith.op.index import OpFolder
from opsmith.op.kernel import Kernel
from opsmith.op.typed import TypedOp

BACK = "#line BACK"  # from here, line numbers are those of the generated file again


def assertion(found: OpFolder, op: TypedOp, kernel: Kernel) -> Iterator[str]:
    """A static_assert that the kernel has the declared name, types and parameters.

    It stands in the kernel's namespace, after its header. For a function from outside of Opsmith
    only calls can be checked.
    """
    if kernel.function:
        return
    struct = kernel.params.__name__
    kinds = (kind.rpartition("::")[2] for kind in parameters(op, kernel).values())
    given = ", ".join(f"const {kind}&" for kind in (struct, *kinds))
    yield "static_assert("
    yield "    decltype(is_as_declared<void("
    yield from wrap(given, COLUMNS, initial_indent=" " * 8, subsequent_indent=" " * 8)
    yield line(found, kernel)
    yield f"    )>({kernel.name}<{struct}>))::value,"
    declares = f"{contract_header(op.name, kernel)} declares"
    yield f'    "{kernel.source} does not define what {declares}");'


def asserted(found: OpFolder, kernels: Iterable[tuple[TypedOp, Kernel]]) -> list[str]:
    """Assertions about kernels, in the namespace that they share; empty for none."""
    each = list(kernels)
    lines = [text for op, kernel in each for text in assertion(found, op, kernel)]
    space = namespace(*each[0]) if each else ""
    return [f"namespace {space} {{", *lines, BACK, f"}}  // namespace {space}"] if lines else []


def included(op: str, kernel: Kernel, file: str) -> Iterator[str]:
    """Lines that include a file of an op's folder for one of its kernels."""
    yield from (f"#define {name} {value}".rstrip() for name, value in kernel.defines.items())
    whole = file == kernel.header or kernel.backend is not None
    yield f'#include "{file if whole else f"{op}/{file}"}"'
    yield from (f"#undef {name}" for name in kernel.defines)


def further(kernels: Iterable[Kernel]) -> Iterator[str]:
    """Lines that include headers for the names in the calls of kernels, besides their functions."""
    yield from (f'#include "{each}"' for each in sorted({n for k in kernels for n in k.includes}))


def line(found: OpFolder, kernel: Kernel) -> str:
    """Directive by which the compiler attributes the next line to the kernel's declaration."""
    return f'#line {line_of(found, kernel)} "{shown_path(registration(found, kernel))}"'


def with_lines_back(text: str, path: str) -> str:
    """Text of a file in which a #line directive after each BACK restores its own line numbers."""
    lines = text.split("\n")
    return "\n".join(
        f'#line {i + 2} "{path}"' if each == BACK else each for i, each in enumerate(lines)
    )


def registration(found: OpFolder, kernel: Kernel) -> Path:
    """File that registers a kernel: that of its KERNELS, its name, its variant, or op.py."""
    if kernel.registered is not None:
        return kernel.registered
    folder = found.folder / kernel.folder
    beside, variant = folder / f"{kernel.name}.py", folder / "__init__.py"
    if beside.is_file():
        return beside
    return variant if kernel.folder and variant.is_file() else found.file


def line_of(found: OpFolder, kernel: Kernel) -> int:
    """Line of the registration that declares a kernel, or else names it or a function that its
    arguments call; 1 where none does.
    """
    calls, names = _mentions(registration(found, kernel).read_text(encoding="utf-8"))
    declared = [line for line, word in calls if word in (kernel.name, kernel.source)]
    of_kernel = {kernel.name, *re.findall(r"\bopsmith::(\w+)", " ".join(kernel.arguments))}
    named = [line for line, name in names if name.lower() in of_kernel]
    return next(iter([*declared, *named]), 1)


@lru_cache(maxsize=256)
def _mentions(source: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Lines of calls in a Python source by each text among their arguments, and lines of names."""
    nodes = list(ast.walk(ast.parse(source)))
    calls = [
        (node.lineno, text) for node in nodes if isinstance(node, ast.Call) for text in _words(node)
    ]
    names = [(node.lineno, node.id) for node in nodes if isinstance(node, ast.Name)]
    return sorted(calls), sorted(names)


def _words(call: ast.Call) -> set[str]:
    values = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    return {value for value in values if isinstance(value, str)}


def shown_path(file: Path) -> str:
    """Path relative to the folder where the compiler runs, for a file below it; else absolute."""
    full, here = file.resolve(), Path.cwd()
    inside = full.is_relative_to(here) and not is_from_elsewhere(full)
    return (full.relative_to(here) if inside else full).as_posix()

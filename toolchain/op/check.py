"""What is wrong with an op folder, found without compiling: every problem at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from toolchain.errors import Problem, did_you_mean
from toolchain.op.describe import Input, Kernel, Op, Output
from toolchain.op.fields import shape_fields, table_fields

_TRAITS = ("elementwise", "view", "clamps", "fuses_activation")


def check_op(op: Op, folder: Path) -> Iterator[Problem]:
    """The problems of one op, OPS01x for its registration and KRN00x for its kernels."""
    where = str(folder / "op.py")
    for rule in (_names, _types, _functions, _traits):
        for code, what, fix in rule(op, folder):
            yield Problem(code, what, where, fix)
    for kernel in op.kernels:
        for code, what, fix in _kernel(op, kernel, folder):
            yield Problem(code, what, where, fix)
    if not op.kernels or op.kernels[-1].requires or op.kernels[-1].when or op.kernels[-1].dtypes:
        yield Problem(
            "KRN002",
            "the last kernel is not a reference that runs everywhere",
            where,
            'end kernels with Kernel("reference.h"), without dtypes, requires or when',
        )


Found = Iterator[tuple[str, str, str]]


def _names(op: Op, folder: Path) -> Found:
    if op.name != folder.name:
        yield (
            "OPS010",
            f"the op is named '{op.name}' but its folder '{folder.name}'",
            "make them equal",
        )
    groups = (op.inputs + op.outputs, op.attributes)
    for names in ([value.name for value in group] for group in groups):
        for name in sorted({n for n in names if names.count(n) > 1}):
            yield "OPS011", f"the name '{name}' is declared twice", "give each its own name"
        for name in names:
            if not name.isidentifier() or name != name.lower():
                yield "OPS012", f"'{name}' is no lower-case identifier", "rename it"


def _types(op: Op, folder: Path) -> Found:
    values: tuple[Input | Output, ...] = (*op.inputs, *op.outputs)
    for value in values:
        if isinstance(value.type, str) and value.type not in op.domains:
            near = did_you_mean(value.type, op.domains)
            yield (
                "OPS013",
                f"'{value.name}' has unknown domain '{value.type}'{near}",
                "add it to domains=",
            )
    used = {value.type for value in values}
    for name, dtypes in op.domains.items():
        if name not in used:
            yield "OPS014", f"domain '{name}' types no input or output", "remove it"
        if not dtypes:
            yield "OPS015", f"domain '{name}' is empty", "list its element types"


def _functions(op: Op, folder: Path) -> Found:
    functions: list[tuple[str, Callable[..., Any] | None, Any]] = [
        ("shape", op.shape, shape_fields),
        ("tables", op.tables, table_fields),
    ]
    for kernel in op.kernels:
        functions.append((f"shape of {kernel.source}", kernel.shape, shape_fields))
        functions.append((f"tables of {kernel.source}", kernel.tables, table_fields))
    for what, function, read in functions:
        if function is None:
            continue
        try:
            read(function)
        except (TypeError, NameError) as error:
            yield (
                "OPS016",
                f"{what}: {error}",
                "return a frozen dataclass and annotate the function with it",
            )


def _traits(op: Op, folder: Path) -> Found:
    for trait in sorted(op.traits):
        if trait not in _TRAITS:
            yield (
                "OPS017",
                f"unknown trait '{trait}'{did_you_mean(trait, _TRAITS)}",
                f"one of {_TRAITS}",
            )
    if ("clamps" in op.traits) != (op.clamp is not None):
        yield (
            "OPS018",
            "trait 'clamps' and hook clamp= come together",
            "add the one that is missing",
        )
    if op.keep_channels is not None and op.live_channels is None:
        yield "OPS018", "keep_channels= needs live_channels=", "say which channels the op needs"
    if "fuses_activation" in op.traits and "activation" not in {a.name for a in op.attributes}:
        yield "OPS019", "trait 'fuses_activation' needs an attribute 'activation'", "declare it"


def _kernel(op: Op, kernel: Kernel, folder: Path) -> Found:
    if not (folder / kernel.source).is_file():
        near = did_you_mean(kernel.source, [p.name for p in folder.iterdir()])
        yield (
            "KRN001",
            f"there is no kernel file '{kernel.source}'{near}",
            "write it or correct the row",
        )
    first = next(iter(op.domains.values()), ())
    for dtype in kernel.dtypes:
        if dtype not in first:
            yield (
                "KRN003",
                f"kernel {kernel.source} lists {dtype}, which no domain has",
                "correct dtypes=",
            )

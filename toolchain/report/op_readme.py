"""Write an op's README.md from its registration."""

from __future__ import annotations

from collections.abc import Iterator

from toolchain.ir import DType
from toolchain.op.attributes import type_name
from toolchain.op.describe import Attribute, Input, Kernel, Op, Output
from toolchain.op.discover import OpFolder


def op_readme(found: OpFolder) -> str:
    """The text of README.md. A test keeps the file equal to it."""
    op = found.op
    lines = [f"# {op.name}", "", "<!-- Generated: `opsmith readme ops/…` writes it from op.py. -->"]
    lines += ["", found.title]
    for paragraph in (found.module.__doc__ or "").strip().split("\n\n")[1:]:
        lines += ["", paragraph]
    lines += ["", "| | name | type | |", "|---|---|---|---|"]
    lines += [_value("input", value, op) for value in op.inputs]
    lines += [_value("output", value, op) for value in op.outputs]
    lines += [_attribute(attribute) for attribute in op.attributes]
    lines += ["", *_sources(op), "", _rule(op), ""]
    lines += [_kernel(kernel) for kernel in op.kernels]
    return "\n".join([*lines, ""])


def _value(kind: str, value: Input | Output, op: Op) -> str:
    types: tuple[DType, ...]
    types = op.domains[value.type] if isinstance(value.type, str) else (value.type,)
    remarks = []
    if isinstance(value, Input):
        remarks = ["constant"] * value.constant + ["optional"] * value.optional
    names = ", ".join(dtype.name for dtype in types)
    return f"| {kind} | `{value.name}` | {names} | {', '.join(remarks)} |"


def _attribute(attribute: Attribute) -> str:
    remarks = [" / ".join(map(str, attribute.choices))] if attribute.choices else []
    if attribute.default is not None:
        remarks.append(f"default {attribute.default}")
    return (
        f"| attribute | `{attribute.name}` | {type_name(attribute.type)} | {', '.join(remarks)} |"
    )


def _sources(op: Op) -> Iterator[str]:
    yield "Made from:"
    yield ""
    for rename in op.legalize:
        versions = f"{rename.versions.start} to {rename.versions.stop - 1}"
        yield f"- `{rename.source}`, versions {versions}"


def _rule(op: Op) -> str:
    if any(kernel.cost is not None for kernel in op.kernels):
        return "Kernels, the cheapest that fits is taken and of equals the first:"
    return "Kernels, the first that fits is taken:"


def _kernel(kernel: Kernel) -> str:
    needs = ", ".join(sorted(kernel.requires)) or "nothing"
    types = f", takes {', '.join(map(str, kernel.dtypes))}" if kernel.dtypes else ""
    excluded = f", not for {', '.join(sorted(kernel.excludes))}" if kernel.excludes else ""
    inexact = "; not exact for every node" if kernel.inexact else ""
    return f"- `{kernel.source}`: needs {needs}{excluded}{types}{inexact}"

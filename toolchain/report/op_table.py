"""Which element types each op takes, and by which kernels: `scons ops`, README and the catalogue.

`variants` is the only place that reads this from an op's registration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap

from toolchain.ir import DType
from toolchain.op.describe import Input, Kernel, Op, Output

COLUMNS, TYPES = 110, 26  # characters of a line, and of the column of types


@dataclass(frozen=True)
class KernelFacts:
    """A kernel, and what core, runtime and build must have for it."""

    name: str
    requires: tuple[str, ...]
    excludes: tuple[str, ...]  # features of cores that it is not for
    inexact: bool  # its bytes may differ from the reference's, so it is taken only by prefer=

    def __str__(self) -> str:
        return f"{self.name} ({' '.join(self.requires)})" if self.requires else self.name


@dataclass(frozen=True)
class Variant:
    """Element types that the same kernels compute, in the order in which kernels are listed."""

    types: str
    kernels: tuple[KernelFacts, ...]


def variants(op: Op) -> tuple[Variant, ...]:
    """What an op takes, types with equal kernels as one."""
    first = next(iter(op.domains), "")
    groups: dict[tuple[KernelFacts, ...], list[DType]] = {}
    if not first:
        return (Variant(_types(op, {}), tuple(map(_facts, op.kernels))),)
    for dtype in op.domains[first]:
        rows = (k for k in op.kernels if not k.dtypes or dtype in k.dtypes)
        groups.setdefault(tuple(map(_facts, rows)), []).append(dtype)
    return tuple(
        Variant(_types(op, {**op.domains, first: dtypes}), kernels)
        for kernels, dtypes in groups.items()
    )


def heading(width: int) -> Iterator[str]:
    """The first lines of a table for a terminal; `width` is that of the longest name."""
    yield f"{'op':{width}}  {'types':{TYPES}}  kernels (what they require)"
    yield ""


def text_table(name: str, found: Sequence[Variant], width: int) -> Iterator[str]:
    """The lines of one op for a terminal; `width` is that of the longest name."""
    for variant in found:
        types = wrap(variant.types, TYPES)
        kernels = _wrapped(map(str, variant.kernels), COLUMNS - width - TYPES - 4)
        for left, right in zip_longest(types, kernels, fillvalue=""):
            yield f"{name:{width}}  {left:{TYPES}}  {right}".rstrip()
            name = ""


def _wrapped(items: Iterable[str], width: int) -> list[str]:
    """The items with commas, on lines that break only between them."""
    lines = [""]
    for item in items:
        both = f"{lines[-1]}, {item}".removeprefix(", ")
        if len(both) < width or not lines[-1]:
            lines[-1] = both
        else:
            lines[-1] += ","
            lines.append(item)
    return lines


def _facts(kernel: Kernel) -> KernelFacts:
    requires, excludes = tuple(sorted(kernel.requires)), tuple(sorted(kernel.excludes))
    return KernelFacts(kernel.backend, requires, excludes, kernel.inexact is not None)


def _types(op: Op, domains: dict[str, Sequence[DType]]) -> str:
    """'int8, int16' or 'float32 → int8': of what is not constant, alternatives by commas."""
    given = _side((value for value in op.inputs if not value.constant), domains)
    made = _side(op.outputs, domains)
    return made if given in ("", made) else f"{given} → {made}"


def _side(values: Iterable[Input | Output], domains: dict[str, Sequence[DType]]) -> str:
    parts = (
        ", ".join(dtype.name for dtype in domains[value.type])
        if isinstance(value.type, str)
        else value.type.name
        for value in values
    )
    return " × ".join(dict.fromkeys(parts))

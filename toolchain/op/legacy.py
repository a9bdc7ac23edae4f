"""Registrations in the form that came before variants and plans, and what they become."""

from __future__ import annotations

import itertools
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from toolchain.ir import DType
from toolchain.op import (
    Array,
    Attribute,
    Code,
    Convert,
    Decompose,
    Distance,
    Example,
    ExampleTensor,
    GraphBuilder,
    GraphReader,
    Input,
    ListOf,
    Masks,
    Match,
    Matched,
    NodeView,
    OpError,
    Output,
    Plan,
    Range,
    Ranges,
    Refused,
    Rename,
    Rows,
    State,
    Tensor,
    TensorType,
    Variant,
    boolean,
    every_node,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
)
from toolchain.op import describe as new
from toolchain.op.overlap import Overlap

__all__ = [
    "Array",
    "Attribute",
    "Code",
    "Convert",
    "Decompose",
    "Distance",
    "Example",
    "ExampleTensor",
    "GraphBuilder",
    "GraphReader",
    "Input",
    "Kernel",
    "ListOf",
    "Masks",
    "Match",
    "Matched",
    "NodeView",
    "Op",
    "OpError",
    "Output",
    "Plan",
    "Range",
    "Ranges",
    "Refused",
    "Rename",
    "Rows",
    "Scratch",
    "State",
    "Tensor",
    "TensorType",
    "Variant",
    "boolean",
    "every_node",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
]

Hook = Callable[..., Any]


@dataclass(frozen=True)
class Scratch:
    """A buffer that a kernel needs only while it runs."""

    name: str
    type: DType
    elements: Callable[[NodeView], int]


@dataclass(frozen=True)
class Kernel:
    """A row."""

    source: str
    dtypes: tuple[DType, ...] = ()
    requires: frozenset[str] | set[str] = frozenset()
    excludes: frozenset[str] | set[str] = frozenset()
    when: Callable[[NodeView], bool] | None = None
    params: Callable[[NodeView], Any] | None = None
    tables: Callable[[NodeView], Any] | None = None
    scratch: tuple[Scratch, ...] = ()
    copies: tuple[str, ...] = ()
    overlap: Overlap | None = None
    over_composite: bool = False
    cost: Callable[[NodeView], float] | None = None
    growth: Callable[[NodeView], int] | None = None
    code: Code = Code()  # noqa: RUF009
    inexact: Callable[[NodeView], str] | None = None
    function: str = ""
    arguments: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()


_SAME = ("requires", "excludes", "copies", "over_composite", "cost", "code", "function",
         "arguments", "sources", "defines", "libraries")  # fmt: skip


class Op:
    """An op, called with the fields of old."""

    def __init__(
        self,
        name: str,
        *,
        params: Hook,
        kernels: tuple[Kernel, ...],
        domains: Mapping[str, tuple[DType, ...]] | None = None,
        tables: Hook | None = None,
        examples: tuple[Example, ...] = (),
        **others: Any,
    ) -> None:
        self.name, self.params, self.tables, self.kernels = name, params, tables, kernels
        self.domains, self.examples, self.others = domains or {}, examples, others


def modern(old: Op) -> new.Op:
    """The same op, with variants."""
    variants = tuple(_variant(old, types) for types in itertools.product(*old.domains.values()))
    return new.Op(old.name, variants=variants, examples=old.examples, **old.others)


def _variant(old: Op, dtypes: tuple[DType, ...]) -> Variant:
    kernels = [
        _kernel(old, each)
        for each in old.kernels
        if not each.dtypes or not dtypes or dtypes[0] in each.dtypes
    ]
    return Variant(dict(zip(old.domains, dtypes, strict=True)), tuple(kernels))


def _kernel(old: Op, row: Kernel) -> new.Kernel:
    params, tables = row.params or old.params, row.tables or old.tables
    return new.Kernel(
        row.source.removesuffix(".h"),
        returned(params),
        _plan(row, params, tables),
        None if tables is None else returned(tables),
        {each.name: each.type for each in row.scratch},
        **{name: getattr(row, name) for name in _SAME},
    )


def _plan(row: Kernel, params: Hook, tables: Hook | None) -> Hook:
    def made(node: NodeView) -> Plan:
        return Plan(
            params(node),
            None if tables is None else partial(tables, node),
            {each.name: each.elements(node) for each in row.scratch},
            None if row.overlap is None else partial(row.overlap, node),
            0 if row.growth is None else row.growth(node),
            "" if row.inexact is None else row.inexact(node),
        )

    def asked(node: NodeView) -> Plan | Refused:
        if row.when is not None and not row.when(node):
            return Refused("does not take such a node")
        return made(node)

    always = row.when is None and row.growth is None and row.inexact is None
    return made if always else asked


def returned(function: Hook) -> type:
    """The dataclass that annotates a function's return value."""
    found: type = typing.get_type_hints(function)["return"]
    return found

"""Python values and types as source text that formatters leave unchanged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsmith.ir import DType
from opsmith.op.declare import ListOf
from opsmith.scaffold.spec import Kind

COLUMNS = 100
LONG = 8  # elements; longer runs of equal elements are written as a repetition


def sentence(text: str) -> str:
    """Text from a model made harmless for comments and docstrings: printable ASCII on one line."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '\\"' else "?" for c in text)
    return plain[:60].strip() or "unnamed"


def literal(value: Any) -> str:
    """Value as Python source, with strings in double quotes."""
    if isinstance(value, str):
        return _quoted(repr(value))
    if isinstance(value, bytes):
        return f"b{_quoted(repr(value)[1:])}"
    if isinstance(value, np.ndarray):
        return literal(value.tolist())
    if isinstance(value, np.generic):
        return literal(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, tuple) and len(value) > LONG and len(set(value)) == 1:
        return f"({literal(value[0])},) * {len(value)}"
    if isinstance(value, tuple | list):
        items = ", ".join(map(literal, value))
        if isinstance(value, list):
            return f"[{items}]"
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    return repr(value)


def _quoted(text: str) -> str:
    """String from repr(), in double quotes unless that needs more escapes."""
    inner = text[1:-1]
    if text[0] == '"' or inner.count('"') > inner.count("\\'"):
        return text
    plain = inner.replace("\\'", "'").replace('"', '\\"')
    return f'"{plain}"'


def kind_source(kind: Kind) -> str:
    """Type of an attribute, as op.py writes it."""
    if isinstance(kind, ListOf):
        return f"ListOf({kind.type.__name__})"
    return dtype_source(kind) if isinstance(kind, DType) else kind.__name__


def dtype_source(dtype: DType) -> str:
    """Return opsmith.op's name for an element type."""
    return "boolean" if dtype.short == "bool" else dtype.short


@dataclass(frozen=True)
class Group:
    """Items between brackets: `Input(` … `)`."""

    open: str
    items: Sequence[Group | str]
    close: str = ")"

    def line(self) -> str:
        """Group as text on one line."""
        inner = ", ".join(item if isinstance(item, str) else item.line() for item in self.items)
        is_tuple = self.open == "(" or self.open.endswith(("=(", " ("))
        return f"{self.open}{inner}{',' if is_tuple and len(self.items) == 1 else ''}{self.close}"


def layout(group: Group, indent: int = 0, tail: str = "") -> list[str]:
    """Lines of a group: one if it fits, else a line for each item with a comma after it."""
    pad = " " * indent
    line = f"{pad}{group.line()}{tail}"
    if len(line) <= COLUMNS:
        return [line]
    lines = [f"{pad}{group.open}"]
    for item in group.items:
        if isinstance(item, str):
            lines.append(f"{pad}    {item},")
        else:
            lines += layout(item, indent + 4, ",")
    return [*lines, f"{pad}{group.close}{tail}"]


def tree(value: Any, head: str = "") -> Group | str:
    """Value as groups, so that a long one can be broken into lines."""
    if isinstance(value, Mapping):
        items = [tree(item, f"{literal(key)}: ") for key, item in value.items()]
        return Group(f"{head}{{", items, "}")
    if not isinstance(value, list | tuple):
        return f"{head}{literal(value)}"
    brackets = "[]" if isinstance(value, list) else "()"
    if any(isinstance(item, list | tuple) for item in value):
        return Group(f"{head}{brackets[0]}", [tree(item) for item in value], brackets[1])
    if len(literal(value)) > COLUMNS // 2:
        return Group(f"{head}{brackets[0]}", [literal(item) for item in value], brackets[1])
    return f"{head}{literal(value)}"

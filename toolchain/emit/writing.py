"""Small pieces of C++ text."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

COLUMNS = 100


def comment_text(text: str) -> str:
    """Text of a model made harmless inside a // comment: printable ASCII, no trailing backslash."""
    plain = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    return plain.rstrip("\\")[:80]


def wrapped(head: str, items: Iterable[str], tail: str, indent: str) -> str:
    """head + comma-separated items + tail on one line, or on several where that is too long."""
    found = list(items)
    line = f"{indent}{head}{', '.join(found)}{tail}"
    if len(line) <= COLUMNS:
        return line
    lines, current = [f"{indent}{head}"], f"{indent}    "
    for i, item in enumerate(found):
        text = item + (tail if i + 1 == len(found) else ",")
        if len(current) + len(text) + 1 > COLUMNS and current.strip():
            lines.append(current.rstrip())
            current = f"{indent}    "
        current += f"{text} "
    return "\n".join([*lines, current.rstrip()])


def number(value: Any) -> str:
    """A scalar as a C++ literal."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no literal")
        return repr(float(value))
    return "INT32_MIN" if int(value) == -(2**31) else str(int(value))


def float_literal(value: float) -> str:
    """A float32 as a literal that reads back exactly."""
    text = repr(float(str(np.float32(value))))
    return f"{text}f"


def shape_fields_text(shape: Any) -> list[str]:
    """The members of a Shape in order: '49,  // input_height'."""
    fields = [(field.name, getattr(shape, field.name)) for field in dataclasses.fields(shape)]
    texts = [
        "{" + ", ".join(map(number, value)) + "}" if isinstance(value, tuple) else number(value)
        for _, value in fields
    ]
    return [f"{text},  // {name}" for text, (name, _) in zip(texts, fields, strict=True)]

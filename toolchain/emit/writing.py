"""Small pieces of C++ text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from toolchain.op.literals import shape_members

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


def float_literal(value: float) -> str:
    """A float32 as a literal that reads back exactly."""
    text = repr(float(str(np.float32(value))))
    return f"{text}f"


def shape_fields_text(shape: Any) -> list[str]:
    """The members of a Shape in order: '49,  // input_height'."""
    return [f"{literal},  // {name}" for name, literal in shape_members(shape)]

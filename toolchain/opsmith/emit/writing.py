"""Small pieces of C++ text."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from opsmith.contract.literals import literals
from opsmith.ir import Tensor

COLUMNS = 100
LONGEST = 80  # characters of a model's text
_LITERALS = re.compile(r'"(?:[^"\\]|\\.)*"|//.*')


def comment_text(text: str) -> str:
    """Text from a model as the content of a // comment: printable ASCII on one line, cut with
    "...".

    A backslash at the end, even with spaces after it, would join the next line to the comment, and
    two question marks could start a trigraph.
    """
    plain = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    plain = re.sub(r"\?+", "?", plain)
    if len(plain) > LONGEST:
        plain = f"{plain[: LONGEST - 3]}..."
    return plain.rstrip("\\ ") or "unnamed"


def described(line: str, comment: str) -> str:
    """Line with a comment after it, or above it where both do not fit on one line."""
    together = f"{line}  // {comment}"
    return together if len(together) <= COLUMNS else f"// {comment}\n{line}"


def wrapped(head: str, items: Iterable[str], tail: str, indent: str) -> str:
    """Head, comma-separated items and tail on one line, or on several if the line is too long."""
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


def defined(head: str, statement: str) -> str:
    """Definition of a function of one statement, on one line where it fits."""
    line = f"{head} {{ {statement} }}"
    return line if len(line) <= COLUMNS else f"{head} {{\n  {statement}\n}}"


def broken(text: str) -> str:
    """C++ text whose lines have at most COLUMNS characters, where spaces allow that."""
    return "\n".join(_broken(line) for line in text.split("\n"))


def _broken(line: str) -> str:
    """Line broken at spaces outside literals; a comment continues as a comment."""
    found, margin = [], line[: len(line) - len(line.lstrip())]
    more = "// " if line.lstrip().startswith("//") else "    "
    while len(line) > COLUMNS and not line.startswith("#"):
        first = len(line) - len(line.lstrip(" /"))
        code = line if more == "// " else _LITERALS.sub(lambda part: "_" * len(part[0]), line)
        at = max(code.rfind(" ", first, COLUMNS + 1), 0) or code.find(" ", first)
        if at < 0:
            break
        found.append(line[:at].rstrip())
        line = f"{margin}{more}{line[at + 1 :]}"
    return "\n".join([*found, line])


def tensor_struct(tensor: Tensor) -> str:
    """Name of the C++ type of an input or output, without two underscores in a row."""
    return f"{tensor.id.rstrip('_')}_tensor"


def float_literal(value: float) -> str:
    """Literal of a float32 that reads back exactly."""
    text = repr(float(str(np.float32(value))))
    return f"{text}f"


def struct_constant(struct: str, name: str, value: Any) -> list[str]:
    """Lines that define a struct as a constant, each member with its name in a comment."""
    found = literals(value)
    width = min(max((len(literal) + 1 for _, literal in found), default=0), 40)
    lines = [f"    {literal + ',':{width}}  // {member}" for member, literal in found]
    return [f"constexpr {struct} {name} = {{", *lines, "};"]

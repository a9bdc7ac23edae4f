"""Reads a TOML file that anybody may have written: bounded in size and depth, text that shows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.reading import UnreadableError, read_text

MOST_BYTES = 64 << 10
VALUES: dict[type, str] = {
    str: "a text",
    list: "a list",
    dict: "a table",
}  # of values, as errors name them
_DEEPEST = 16  # tables in one another; a board has four
_MOST_DOTS = 200  # of a key: one of thousands of parts takes minutes
_MOST_STEPS = 10_000_000  # for all keys, each of which takes as many as its dots squared
# Texts, of which one without an end goes on to that of the line or the file, and comments.
_TEXT = re.compile(
    r'''"""(?:\\.|[^\\])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*|'{3}.*?(?:'{3}|\Z)|'[^'\n]*|\#[^\n]*''',
    re.DOTALL,
)


class TooDeepError(UnreadableError):
    """Tables or lists in one another, more than any file needs."""


def parse_toml(file: Path, code: str, too_deep: str) -> dict[str, Any]:
    """The tables of a file. Raises `code` where it is no TOML, `too_deep` for very deep tables."""
    try:
        return read_tables(file, MOST_BYTES)
    except TooDeepError as error:
        fix = "write tables as the README beside it shows"
        raise ToolchainError.of(too_deep, str(error), where=str(file), fix=fix) from error
    except UnreadableError as error:
        what = f"cannot be read: {error}"
        raise ToolchainError.of(code, what, where=str(file), fix="make it a TOML file") from error


def read_tables(file: Path, most: int) -> dict[str, Any]:
    """The tables of a file of at most so many bytes. Raises UnreadableError, TooDeepError."""
    try:
        text = read_text(file, most)
        dots = [key.count(".") for key in re.split(r"[\n,=]", _TEXT.sub("", text))]
        deep = max(dots) > _MOST_DOTS or sum(count * count for count in dots) > _MOST_STEPS
        tables = {} if deep else deepcopy(_parsed(text))
        deep = deep or any(depth > _DEEPEST for depth, _, _ in _values(tables))
    except RecursionError:
        deep = True
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(str(error)) from error
    except ValueError as error:
        raise UnreadableError("a number of it has thousands of digits") from error
    if deep:
        raise TooDeepError(f"tables or lists are nested more than {_DEEPEST} deep")
    return tables


@lru_cache(maxsize=256)  # boards and runtimes are loaded many times in one command
def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def hidden_texts(tables: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys and texts with characters that do not show: the place, and the key or text."""
    for _, place, value in _values(tables):
        if isinstance(value, str) and not value.isprintable():
            yield place, value


def _values(tables: dict[str, Any]) -> Iterator[tuple[int, str, Any]]:
    """Every key and value with its depth and place. Not recursive: depth may be anything."""
    left: list[tuple[int, str, Any]] = [(0, "", tables)]
    while left:
        depth, place, value = left.pop()
        yield depth, place, value
        if depth > _DEEPEST:
            continue
        if isinstance(value, dict):
            for key, inner in value.items():
                yield depth, place or "the file", key
                left.append((depth + 1, f"{place}.{key}" if place else key, inner))
        elif isinstance(value, list):
            left += ((depth + 1, f"{place}[{i}]", inner) for i, inner in enumerate(value))

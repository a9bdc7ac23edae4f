"""Reads a TOML file of bounded size, and checks that its text is printable."""

import tomllib
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.reading import UnreadableError, read_text

MOST_BYTES = 64 << 10


def parse_toml(file: Path, code: str) -> dict[str, Any]:
    """Tables of a TOML file. Raises `code` for an invalid file."""
    try:
        return read_tables(file, MOST_BYTES)
    except UnreadableError as error:
        what = f"cannot be read: {error}"
        raise ToolchainError.of(code, what, where=str(file), fix="make it a TOML file") from error


def read_tables(file: Path, most: int) -> dict[str, Any]:
    """Tables of a TOML file of at most `most` bytes. Raises UnreadableError."""
    try:
        return deepcopy(_parsed(read_text(file, most)))
    except (ValueError, RecursionError) as error:  # invalid TOML, long numbers, or depth
        raise UnreadableError(str(error)) from error


@lru_cache(maxsize=256)  # commands load the same boards and runtimes many times
def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def hidden_texts(tables: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys and texts with unprintable characters: the place, and the key or text."""
    left: list[tuple[str, Any]] = [("", tables)]
    while left:
        place, value = left.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                left += [(f"{place}.{key}" if place else key, inner)]
                if not key.isprintable():
                    yield place or "the file", key
        elif isinstance(value, list):
            left += ((f"{place}[{i}]", inner) for i, inner in enumerate(value))
        elif isinstance(value, str) and not value.isprintable():
            yield place, value

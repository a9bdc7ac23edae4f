"""Reads a file that anybody may have put there: no folder, no pipe, no flood of bytes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class UnreadableError(Exception):
    """Why a file cannot be read, in a few words."""


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file of at most so many bytes. Raises UnreadableError."""
    try:
        found = os.stat(path)
        kind = stat.S_IFMT(found.st_mode)
        if kind != stat.S_IFREG:  # before it is opened, which for a pipe would take for ever
            raise UnreadableError(f"it is {_KINDS.get(kind, 'no file')}")
        with path.open("rb") as file:
            data = file.read(min(found.st_size, most) + 1)  # room for `most` takes long to get
            if len(data) > found.st_size:  # by now, or as /proc has it
                data += file.read(most + 1 - len(data))
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error
    if len(data) > most:
        raise UnreadableError(f"it has more than {most:,} bytes")
    return data


def read_text(path: Path, most: int) -> str:
    """The text of such a file in UTF-8, without NUL. Raises UnreadableError."""
    data = read_bytes(path, most)
    if b"\0" in data:
        raise UnreadableError(f"byte {data.index(0)} of it is NUL")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        value = data[error.start]
        raise UnreadableError(f"byte {error.start} of it, {value:#04x}, is no UTF-8") from error


def with_newlines(text: str) -> str:
    """The text with LF where a line ends in CR LF or in CR, as XML and compilers read it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")

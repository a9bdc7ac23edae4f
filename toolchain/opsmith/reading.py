"""Reads a file that anyone may have supplied: no folder, no pipe, no flood of bytes."""

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
    """Reason why a file cannot be read, in a few words."""


class TooLargeError(UnreadableError):
    """Raised for a file with more bytes than the limit."""


def read_bytes(path: Path, most: int) -> bytes:
    """Content of a regular file of at most `most` bytes. Raises UnreadableError."""
    size = check_regular(path, most)
    try:
        with path.open("rb") as file:
            data = file.read(min(size, most) + 1)  # allocating `most` bytes takes long
            if len(data) > size:  # the file grew, or /proc gives no size
                data += file.read(most + 1 - len(data))
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error
    if len(data) > most:
        raise _too_large(most)
    return data


def check_regular(path: Path, most: int) -> int:
    """Size of a regular file in bytes. Raises UnreadableError for anything else without opening it,
    since opening a pipe would block.
    """
    try:
        found = os.stat(path)
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        raise UnreadableError(f"it is {_KINDS.get(kind, 'no file')}")
    if found.st_size > most:
        raise _too_large(most)
    return found.st_size


def _too_large(most: int) -> TooLargeError:
    return TooLargeError(f"it has more than {most:,} bytes")


def read_text(path: Path, most: int) -> str:
    """Text of a regular UTF-8 file without NUL. Raises UnreadableError."""
    data = read_bytes(path, most)
    if b"\0" in data:
        raise UnreadableError(f"byte {data.index(0)} of it is NUL")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        value = data[error.start]
        raise UnreadableError(f"byte {error.start} of it, {value:#04x}, is no UTF-8") from error


def is_inside(path: Path, folder: Path) -> bool:
    """True if a path, with links followed, leads to a folder or to anything in it."""
    root = os.path.realpath(folder)
    return f"{os.path.realpath(path)}{os.sep}".startswith(os.path.join(root, ""))


def with_newlines(text: str) -> str:
    """Text in which CR LF and CR are replaced by LF, as XML and compilers read line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")

"""Reads a file that anybody may have put there: no folder, no pipe, no flood of bytes."""

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
    """The file has more bytes than are read."""


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file of at most N bytes. Raises UnreadableError."""
    size = check_regular(path, most)
    try:
        with path.open("rb") as file:
            data = file.read(min(size, most) + 1)  # room for `most` takes long to get
            if len(data) > size:  # by now, or as /proc has it
                data += file.read(most + 1 - len(data))
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error
    if len(data) > most:
        raise _too_large(most)
    return data


def check_regular(path: Path, most: int) -> int:
    """The size of a regular file. Raises UnreadableError for all else, which is not opened: for
    a pipe that would take for ever.
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
    """The text of such a file in UTF-8, without NUL. Raises UnreadableError."""
    data = read_bytes(path, most)
    if b"\0" in data:
        raise UnreadableError(f"byte {data.index(0)} of it is NUL")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        value = data[error.start]
        raise UnreadableError(f"byte {error.start} of it, {value:#04x}, is no UTF-8") from error


def is_inside(path: Path, folder: Path) -> bool:
    """True if a path leads to something in a folder, or to the folder, also by links."""
    root = os.path.realpath(folder)
    return f"{os.path.realpath(path)}{os.sep}".startswith(os.path.join(root, ""))


def with_newlines(text: str) -> str:
    """The text with LF where a line ends in CR LF or in CR, as XML and compilers read it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")

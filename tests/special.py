"""Special entries in the place of a file: pipes, devices, sockets, links and holes."""

import os
import resource
import shutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

HOLE = 1 << 40  # bytes of a file that takes no space


def _socket(path: Path) -> None:
    """Make a socket, bound by its name alone, since a socket's path has 107 bytes at most."""
    folder = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


def _hole(path: Path) -> None:
    """Make a file that is one hole, also where limits forbid files of its apparent size."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit[1], limit[1]))
    try:
        with path.open("wb") as file:
            file.truncate(HOLE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)


SPECIAL: Mapping[str, Callable[[Path], None]] = {
    "pipe": lambda path: os.mkfifo(path),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "socket": _socket,
    "folder": lambda path: path.mkdir(),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "hole": _hole,
}


def replace_by(path: Path, kind: str) -> None:
    """Put a special entry of this kind in the place of a file or folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    SPECIAL[kind](path)

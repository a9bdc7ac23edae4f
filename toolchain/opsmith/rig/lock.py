"""Locks of ports and probes: on this machine, one program at a time has each.

A lock is flock(2) on a file that all users may open, so it ends with its holder, however that ends.
The file says who holds it, and is removed with the lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import os
import re
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.text import excerpt

FOLDERS = (Path("/run/lock"), Path("/tmp"))  # that all users may write, the first that there is
_AGAIN = 0.05  # seconds between attempts
_MOST_SAID = 300  # bytes about a holder


@contextmanager
def held(names: Sequence[str], wait: float = 0.0) -> Iterator[None]:
    """Hold the locks of these names. Raises RIG048 where others hold one for longer than `wait`."""
    end = time.monotonic() + wait
    with ExitStack() as stack:
        for name in sorted(set(names)):  # in one order, so that no two wait for each other
            stack.callback(_released, *_acquired(name, end))
        yield


def holder(name: str) -> str:
    """Who holds a lock, in words; "" where nobody does."""
    try:
        descriptor = os.open(lock_file(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return excerpt(os.read(descriptor, _MOST_SAID), _MOST_SAID) or "another program"
    finally:
        os.close(descriptor)
    return ""


def lock_file(name: str) -> Path:
    """The file of a lock."""
    folder = next(each for each in FOLDERS if os.access(each, os.W_OK))
    word = re.sub(r"[^A-Za-z0-9]+", "-", name)[:60]
    return folder / f"opsmith-{word}-{zlib.crc32(name.encode()):08x}.lock"


def _acquired(name: str, end: float) -> tuple[Path, int]:
    file, waits = lock_file(name), False
    while True:
        descriptor = _tried(file)
        if descriptor is not None:
            _sign(descriptor)
            return file, descriptor
        by = holder(name)
        if time.monotonic() >= end:
            if not by:  # it was let go just now
                continue
            fix = "wait for it with wait=SECONDS, or name another board"
            raise ToolchainError.of("RIG048", f"{name} is in use by {by}", where=name, fix=fix)
        if by and not waits:
            print(f"waiting for {name}, in use by {by}", file=sys.stderr, flush=True)
            waits = True
        time.sleep(_AGAIN)


def _tried(file: Path) -> int | None:
    """Descriptor of the file, which is now locked; None where another program has the lock."""
    try:
        descriptor = _opened(file)
    except OSError as error:
        what, fix = f"cannot be locked: {error.strerror}", "correct its permissions, or remove it"
        raise ToolchainError.of("RIG048", what, where=str(file), fix=fix) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(file).st_ino == os.fstat(descriptor).st_ino:  # else a holder has removed it
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _opened(file: Path) -> int:
    """Descriptor of the file. One of another user, in a folder of all, must not be opened as if to
    be made: Linux refuses that.
    """
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.suppress(FileNotFoundError):
        return os.open(file, flags)
    descriptor = os.open(file, flags | os.O_CREAT, 0o666)
    with contextlib.suppress(PermissionError):  # another user was quicker
        os.fchmod(descriptor, 0o666)
    return descriptor


def _sign(descriptor: int) -> None:
    """Write who holds a lock."""
    who, since, command = getpass.getuser(), time.strftime("%H:%M:%S"), " ".join(sys.argv)
    text = f"{who}, process {os.getpid()} since {since}: {command}"
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode("utf-8", "backslashreplace")[:_MOST_SAID], 0)


def _released(file: Path, descriptor: int) -> None:
    with contextlib.suppress(OSError):  # of another user's file
        os.unlink(file)
    os.close(descriptor)

"""Locks of ports and probes: on this machine, one program at a time has each.

A lock is flock(2) on a file that all users may open, so it ends with its holder in any case. The
file names the holder, and is removed with the lock.
"""

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

FOLDERS = (Path("/run/lock"), Path("/tmp"))  # writable by all; the first existing one is used
_AGAIN = 0.05  # seconds between attempts
_MOST_SAID = 300  # bytes of text about a holder


@contextmanager
def held(*choices: Sequence[str], wait: float = 0.0) -> Iterator[int]:
    """Hold the locks of all names of the first choice that is free; yields the number of the
    choice.

    Raises RIG048 where other programs hold locks of each choice for longer than `wait` seconds.
    """
    end, waits = time.monotonic() + wait, False
    with ExitStack() as stack:
        while True:
            busy = list[str]()
            for number, names in enumerate(choices):
                taken = _all_of(names, busy)
                if taken is not None:
                    stack.enter_context(taken)
                    yield number
                    return
            by = "; ".join(f"{name} is in use by {holder(name) or 'another'}" for name in busy)
            if time.monotonic() >= end:
                fix = "wait for it with wait=SECONDS, or name another board"
                raise ToolchainError.of("RIG048", by, where=busy[0], fix=fix)
            if not waits:
                print(f"waiting: {by}", file=sys.stderr, flush=True)
                waits = True
            time.sleep(_AGAIN)


def holder(name: str) -> str:
    """Holder of a lock, in words; "" for a lock that is free."""
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
    """Path of the file of a lock."""
    folder = next(each for each in FOLDERS if os.access(each, os.W_OK))
    word = re.sub(r"[^A-Za-z0-9]+", "-", name)[:60]
    return folder / f"opsmith-{word}-{zlib.crc32(name.encode()):08x}.lock"


def _all_of(names: Sequence[str], busy: list[str]) -> ExitStack | None:
    """Stack of the locks of all names; None where one is taken, whose name is added to `busy`."""
    with ExitStack() as stack:
        for name in sorted({*names}):  # in a fixed order, to avoid deadlocks
            file = lock_file(name)
            descriptor = _tried(file)
            if descriptor is None:
                busy.append(name)
                return None
            _sign(descriptor)
            stack.callback(_released, file, descriptor)
        return stack.pop_all()


def _tried(file: Path) -> int | None:
    """Descriptor of a lock file that is now locked; None where another program has the lock."""
    while True:
        try:
            descriptor = _opened(file)
        except OSError as error:
            what, fix = (
                f"cannot be locked: {error.strerror}",
                "correct its permissions, or remove it",
            )
            raise ToolchainError.of("RIG048", what, where=str(file), fix=fix) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        with contextlib.suppress(FileNotFoundError):
            if os.stat(file).st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        os.close(descriptor)  # its holder has removed it meanwhile


def _opened(file: Path) -> int:
    """Descriptor of a lock file. O_CREAT is used only for a missing file, since Linux refuses it
    for another user's file in a shared folder.
    """
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.suppress(FileNotFoundError):
        return os.open(file, flags)
    descriptor = os.open(file, flags | os.O_CREAT, 0o666)
    with contextlib.suppress(PermissionError):  # another user made it first
        os.fchmod(descriptor, 0o666)
    return descriptor


def _sign(descriptor: int) -> None:
    """Write the holder of a lock into its file."""
    who, since, command = getpass.getuser(), time.strftime("%H:%M:%S"), " ".join(sys.argv)
    text = f"{who}, process {os.getpid()} since {since}: {command}"
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode("utf-8", "backslashreplace")[:_MOST_SAID], 0)


def _released(file: Path, descriptor: int) -> None:
    with contextlib.suppress(OSError):  # it may be another user's file
        os.unlink(file)
    os.close(descriptor)

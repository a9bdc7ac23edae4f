"""Child processes that never outlive us, print without limit, or die silently."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from opsmith.text import excerpt

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)
_MOST_BYTES = 16 << 20  # that a child may print to stderr, or a finished one at all
ENDED = r"it ended with status (\d+)"
_SHOWN = 2000  # characters of them


class Ended(Exception):
    """The process or port that ran the firmware is gone; the text says how."""


class Child:
    """A running process; its stderr is kept."""

    def __init__(self, process: subprocess.Popen[bytes], stderr: IO[bytes]):
        self.process = process
        self._stderr = stderr

    def ending(self) -> str:
        """Describe how it ended, with the last lines of its stderr; waits a moment for the end."""
        try:
            status = self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "it closed the line but still runs"
        how = how_it_ended(status)
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - 4 * _SHOWN))
        said = excerpt(self._stderr.read(), _SHOWN)
        return f"{how}: {said}" if said else how


@dataclass(frozen=True)
class Finished:
    """How a program ended; its status is None if it had to be killed."""

    status: int | None
    how: str
    said: str  # the end of what it printed, escaped


@contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> Iterator[Child]:
    """The process with pipes for stdin and stdout; ended, at last by force, on the way out.

    `environment` has variables that it gets besides ours.

    Raises Ended when it cannot be started.
    """
    with tempfile.TemporaryFile() as stderr:
        process = _started(command, subprocess.PIPE, stderr, environment=environment)
        try:
            yield Child(process, stderr)
        finally:
            _end(process)


def finished(
    command: Sequence[str],
    seconds: float,
    *,
    folder: Path | None = None,
    stderr: int = subprocess.STDOUT,
) -> Finished:
    """Runs a program that asks nothing, in this folder. Raises Ended when it cannot be started."""
    process = _started(command, subprocess.DEVNULL, stderr, folder)
    try:
        said, how = _listened(process, time.monotonic() + seconds, seconds)
        status = process.poll()
        return Finished(
            None if how else status, how or how_it_ended(status or 0), excerpt(said, _SHOWN)
        )
    finally:
        _end(process)


def _listened(
    process: subprocess.Popen[bytes], deadline: float, seconds: float
) -> tuple[bytes, str]:
    """Return the end of its output, and why it was not waited for, or "" if it ended."""
    assert process.stdout, "a pipe"
    said, total = b"", 0
    while process.poll() is None or select.select([process.stdout], [], [], 0)[0]:
        if time.monotonic() > deadline:
            return said, f"no end within {seconds:g} s"
        if select.select([process.stdout], [], [], 0.05)[0]:
            data = os.read(process.stdout.fileno(), 65536)
            said, total = (said + data)[-4 * _SHOWN :], total + len(data)
            if not data:  # closed: only its end is missing
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=max(0, deadline - time.monotonic()))
                return said, "" if process.poll() is not None else f"no end within {seconds:g} s"
            if total > _MOST_BYTES:
                return said, f"it printed more than {_MOST_BYTES >> 20} MiB"
    return said, ""


def _started(
    command: Sequence[str],
    stdin: int,
    stderr: int | IO[bytes],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    parent = os.getpid()

    def prepare() -> None:
        die_with(parent)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # QEMU writes cores of its programs here
        if not isinstance(stderr, int):
            resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_BYTES, _MOST_BYTES))

    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=None if environment is None else os.environ | environment,
            bufsize=0,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            preexec_fn=prepare,
            start_new_session=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Ended(f"it cannot be started: {reason}") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it started, and close its pipes."""
    try:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        pass
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()


def die_with(parent: int) -> None:
    """Let the kernel end this process when the one that started it ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we could ask to be notified
        os._exit(1)


def how_it_ended(status: int) -> str:
    """An exit status, or the signal that ended a process, in words."""
    if status == -signal.SIGXFSZ:
        return f"it was ended: it printed more than {_MOST_BYTES >> 20} MiB"
    if status >= 0:
        return f"it ended with status {status}"
    try:
        return f"it was ended by {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal has no name
        return f"it was ended by signal {-status}"

"""Child processes that never outlive their parent, print without limit, or die silently."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from opsmith.text import excerpt

_STOPPING = (signal.SIGINT, signal.SIGTERM)
_MOST_BYTES = 16 << 20  # limit of stderr, and of the whole output of a finished child
ENDED = r"it ended with status (\d+)"
_SHOWN = 2000  # characters of output that are shown


class Ended(Exception):
    """Raised when the process or port that runs the firmware is gone; the text says how."""


class Child:
    """A running process whose stderr is kept in a file."""

    def __init__(self, process: subprocess.Popen[bytes], stderr: IO[bytes]):
        self.process = process
        self._stderr = stderr

    def ending(self) -> str:
        """Describe how the process ended, with its stderr's last lines; waits a moment for it."""
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
    """End of a program: exit status (None if it had to be killed), in words, and its output."""

    status: int | None
    how: str
    said: str  # end of its output, escaped


@contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> Iterator[Child]:
    """A process with pipes for stdin and stdout, which is ended on the way out, at last by force.

    `environment` has variables that are added to those of this process.

    Raises Ended when the process cannot be started.
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
    """Run a program without input in `folder`. Raises Ended when the program cannot be started."""
    process = _started(command, subprocess.DEVNULL, stderr, folder)
    try:
        said, how = _listened(process, time.monotonic() + seconds, seconds)
        status = process.poll()
        return Finished(
            None if how else status, how or how_it_ended(status or 0), excerpt(said, _SHOWN)
        )
    finally:
        _end(process)


@contextmanager
def held_signals() -> Iterator[None]:
    """Context in which handlers of SIGINT and SIGTERM run only at its end. It goes around
    os.fork(), which drops what a handler raises in a fork hook: the signal would be lost, and the
    lock of `logging` never released.
    """
    held: list[int] = []
    handlers: dict[int, Any] = {}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        if threading.current_thread() is threading.main_thread():  # only it gets signals
            found = {number: signal.getsignal(number) for number in _STOPPING}
            handlers |= {number: handler for number, handler in found.items() if callable(handler)}
        for number in handlers:
            signal.signal(number, lambda number, _: held.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in held:
            signal.raise_signal(number)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def default_signals() -> None:
    """Let SIGINT and SIGTERM end this process, which was forked while both were held."""
    for number in _STOPPING:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)


def _listened(
    process: subprocess.Popen[bytes], deadline: float, seconds: float
) -> tuple[bytes, str]:
    """Last bytes of a process's output, and why it was not waited for, or "" if it ended."""
    assert process.stdout, "a pipe"
    said, total = b"", 0
    while process.poll() is None or select.select([process.stdout], [], [], 0)[0]:
        if time.monotonic() > deadline:
            return said, f"no end within {seconds:g} s"
        if select.select([process.stdout], [], [], 0.05)[0]:
            data = os.read(process.stdout.fileno(), 65536)
            said, total = (said + data)[-4 * _SHOWN :], total + len(data)
            if not data:  # closed; only the exit is missing
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
    variables = os.environ | (environment or {})
    program = str(Path(folder or "", command[0])) if os.sep in command[0] else command[0]
    if not shutil.which(program, path=variables.get("PATH")):
        raise Ended("it cannot be started: there is no such program")
    try:
        return subprocess.Popen(
            [*_limited(stderr), *command],
            cwd=folder,
            env=variables,
            bufsize=0,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Ended(f"it cannot be started: {reason}") from error


def _limited(stderr: int | IO[bytes]) -> list[str]:
    """Command prefix of util-linux for a program that must end with the thread that starts it and
    write no core. Python's own `preexec_fn` takes locks between fork and exec, and a thread may
    wait for them forever.
    """
    places = os.pathsep.join((os.environ.get("PATH", ""), os.defpath))
    prlimit, setpriv = (shutil.which(name, path=places) or name for name in ("prlimit", "setpriv"))
    limits = ["--core=0", *([] if isinstance(stderr, int) else [f"--fsize={_MOST_BYTES}"])]
    return [prlimit, *limits, setpriv, "--pdeathsig", "KILL", "--"]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and all processes that it started, and close its pipes."""
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


def how_it_ended(status: int) -> str:
    """An exit status, or the signal that ended a process, in words."""
    if status == -signal.SIGXFSZ:
        return f"it was ended: it printed more than {_MOST_BYTES >> 20} MiB"
    if status >= 0:
        return f"it ended with status {status}"
    try:
        return f"it was ended by {signal.Signals(-status).name}"
    except ValueError:  # real-time signals have no name
        return f"it was ended by signal {-status}"

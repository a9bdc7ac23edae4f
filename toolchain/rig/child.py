"""Child processes that never outlive us and whose end can be told in words."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


class Child:
    """A running process; its stderr is kept."""

    def __init__(self, process: subprocess.Popen[bytes], stderr: IO[bytes]):
        self.process = process
        self._stderr = stderr

    def ending(self) -> str:
        """How it ended and the last lines of its stderr; waits a moment for the end."""
        try:
            status = self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "it closed the line but still runs"
        how = f"it ended with status {status}"
        if status < 0:
            how = f"it was ended by {signal.Signals(-status).name}"
        self._stderr.seek(0)
        said = self._stderr.read()[-2000:].decode("utf-8", "replace").strip()
        return f"{how}: {said}" if said else how


@contextmanager
def running(command: Sequence[str]) -> Iterator[Child]:
    """The process with pipes for stdin and stdout; ended, at last by force, on the way out."""
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            preexec_fn=_die_with_parent,
        )
        try:
            yield Child(process, stderr)
        finally:
            process.terminate()
            try:
                process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

"""A worker process that answers many questions, and is replaced when it hangs or crashes."""

import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

MEMORY = 6 << 30  # bytes of address space that a worker may take
SECONDS = 20.0  # of processor time that an answer may take
PATIENCE = 6  # times that many on the clock, for other programs may run at the same time

Answer = Callable[[Any], Any]


class Hung(Exception):
    """The worker did not answer in time and was killed."""


class Crashed(Exception):
    """The worker ended without an answer."""


class Child:
    """Worker process that answers questions by the function that `start(*arguments)` returns."""

    def __init__(self, start: Callable[..., Answer], *arguments: Any) -> None:
        self._start = start
        self._arguments = arguments
        self._process: Any = None
        self._pipe: Connection

    def ask(self, question: Any, seconds: float = SECONDS) -> Any:
        """Answer of the worker to a question. Raises Hung or Crashed; the next question goes to a
        new process.
        """
        if self._process is None:
            self._begin()
        self._pipe.send(question)
        if not self._answered(seconds):
            self.close()
            raise Hung(f"no answer within {seconds:g} s")
        try:
            return self._pipe.recv()
        except EOFError:
            self._process.join()
            status = self._process.exitcode
            self.close()
            raise Crashed(f"the process ended with status {status}") from None

    def _answered(self, seconds: float) -> bool:
        """Whether the worker answers before its time is over."""
        start, end = self._processor_time(), time.monotonic() + PATIENCE * seconds
        while not self._pipe.poll(min(seconds, 1.0)):
            if self._processor_time() - start > seconds or time.monotonic() > end:
                return False
        return True

    def _processor_time(self) -> float:
        """Seconds that the worker has computed; none once it has ended."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the worker process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(other, self._start, self._arguments), daemon=True
        )
        self._process.start()
        other.close()
        assert self._pipe.recv() == "ready"


def _serve(pipe: Connection, start: Callable[..., Answer], arguments: tuple[Any, ...]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    sys.stdout.flush()
    answer = start(*arguments)
    pipe.send("ready")
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            return
        pipe.send(answer(question))

"""Runs what an op's author wrote: in bounded time, and with nothing left behind of what it does.

What it prints goes to stderr. `os._exit` is an exception, so that no command ends well because an
op's module ended it. After the deadline, Late is raised inside; where that is caught, too, or the
thread is not the main one, the process ends. What neither returns from C nor can be interrupted
there (`sum(range(10**12))`) is beyond reach: the build waits, and Ctrl-C does not help either.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NoReturn

import numpy as np

from toolchain.errors import Problem, Stopped, ToolchainError

LOADING_SECONDS = 30.0  # for the module of an op
CALLING_SECONDS = 120.0  # for a call of one of its functions: some try every input
GRACE_SECONDS = 5.0  # until the process ends, where Late is caught


class Late(BaseException):
    """The deadline has passed: no Exception, for authors catch those."""


class Ending(BaseException):
    """The op called `os._exit`."""


class Running:
    """A context in which code of an op runs. The outermost one has the deadline."""

    _outermost: Running | None = None

    def __init__(self, seconds: float, what: str, where: str) -> None:
        self._seconds = seconds
        self._what = what  # 'op.py', "infer of op 'twice'"
        self._where = where
        self._fired = 0
        self._ended = False

    def __enter__(self) -> None:
        main = threading.current_thread() is threading.main_thread()
        self._inner = Running._outermost is not None or not main
        if self._inner:
            return
        Running._outermost = self
        self._stdout, sys.stdout = sys.stdout, sys.stderr
        self._exit, self._process = os._exit, os.getpid()
        os._exit = self._refuse_exit
        self._handler = signal.signal(signal.SIGALRM, self._alarm)
        signal.setitimer(signal.ITIMER_REAL, self._seconds, GRACE_SECONDS)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._inner:
            return
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, self._handler)
        os._exit = self._exit
        sys.stdout = self._stdout
        Running._outermost = None
        if self._fired and not isinstance(error, Stopped):  # whatever it made of Late
            raise ToolchainError(self._late()) from error
        if self._ended and not isinstance(error, Ending):
            raise Ending from error

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        self._fired += 1
        if self._fired == 1:
            raise Late
        if self._fired == 2:
            os.write(2, f"{self._late()}\n".encode("utf-8", "backslashreplace"))
            self._exit(2)

    def _late(self) -> Problem:
        return Problem(
            "OPS071",
            f"{self._what} takes more than {self._seconds:g} s",
            self._where,
            "let it end sooner: what takes long is computed once, and stored beside op.py",
        )

    def _refuse_exit(self, status: int) -> NoReturn:
        if os.getpid() != self._process:  # a child that the op forked
            self._exit(status)
        self._ended = True
        raise Ending(status)


@contextlib.contextmanager
def loading(file: Path) -> Iterator[None]:
    """For the module of an op: nothing that it sets for the process outlasts it."""
    folder, path, depth, handlers = Path.cwd(), list(sys.path), sys.getrecursionlimit(), _handlers()
    try:
        with np.errstate(), Running(LOADING_SECONDS, file.name, str(file)):
            yield
    finally:
        os.chdir(folder)
        sys.path[:] = path
        sys.setrecursionlimit(depth)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _handlers() -> dict[int, Any]:
    if threading.current_thread() is not threading.main_thread():
        return {}
    both = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    return {number: handler for number, handler in both.items() if handler is not None}


def stops_us(error: BaseException) -> bool:
    """Whether a person stopped the command, rather than the op's own code."""
    if isinstance(error, Stopped):
        return True
    default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return isinstance(error, KeyboardInterrupt) and default  # no guard is there to tell

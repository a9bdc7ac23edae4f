"""Runs code that is not ours: in bounded time, and with nothing left of what it does.

The authors of ops, front ends and fault decoders wrote it. What it prints goes to stderr.
`os._exit` is an exception, so that no command ends well because a module ended it. After the
deadline, Late is raised inside; where that is caught, too, or the thread is not the main one, the
process ends. What neither returns from C nor can be interrupted there (`sum(range(10**12))`) is
beyond reach: the build waits, and Ctrl-C does not help either.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import NoReturn

from opsmith.errors import Problem, Stopped, ToolchainError

LOADING_SECONDS = 30.0  # for a module
CALLING_SECONDS = 120.0  # for a call of a function: some of ops try every input
GRACE_SECONDS = 5.0  # until the process ends, where Late is caught
TOLERANCE = 0.05  # seconds by which the timer may seem to be early or late and still be ours


class Late(BaseException):
    """The deadline has passed: no Exception, for authors catch those."""


class Ending(BaseException):
    """The code called `os._exit`."""


class Running:
    """A context in which such code runs. The outermost one has the deadline.

    A compilation enters some hundred thousand of these, so that none sets a timer of its own: one
    runs across all of them, and what it finds when it fires is held against the deadline.
    """

    _outermost: Running | None = None

    def __init__(self, seconds: float, what: str, where: str) -> None:
        self._seconds = seconds
        self._what = what  # 'op.py', "infer of op 'twice'"
        self._where = where
        self._fired = 0
        self._ended = False

    def __enter__(self) -> None:
        main = threading.get_ident() == threading.main_thread().ident
        self._inner = Running._outermost is not None or not main
        if self._inner:
            return
        now = time.monotonic()
        self._deadline = now + self._seconds
        self._stdout, sys.stdout = sys.stdout, sys.stderr
        self._exit, self._process = os._exit, os.getpid()
        os._exit = self._refuse_exit
        Running._outermost = self
        _Timer.fire_by(self._deadline, now)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._inner:
            return
        Running._outermost = None
        os._exit = self._exit
        sys.stdout = self._stdout
        if self._fired:
            _Timer.stop()
            if not isinstance(error, Stopped):  # whatever it made of Late
                raise ToolchainError(self._late()) from error
        if self._ended and not isinstance(error, Ending):
            raise Ending from error

    def alarm(self) -> None:
        """Raise Late after the deadline; end the process where that did not help."""
        now = time.monotonic()
        if not self._fired and now < self._deadline:  # it was set for a call before this one
            _Timer.start(self._deadline, now)
            return
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
            "let it end sooner: what takes long is computed once, and stored beside it",
        )

    def _refuse_exit(self, status: int) -> NoReturn:
        if os.getpid() != self._process:  # a child that it forked
            self._exit(status)
        self._ended = True
        raise Ending(status)


class _Timer:
    """The one timer of the process, which goes on when the code that it is for has returned."""

    fires = 0.0  # when, unless somebody else has set it meanwhile

    @classmethod
    def fire_by(cls, deadline: float, now: float) -> None:
        """See to it that the timer fires before the deadline, or at it."""
        left = signal.getitimer(signal.ITIMER_REAL)[0]
        if not (now < cls.fires <= deadline and abs(now + left - cls.fires) < TOLERANCE):
            atexit.unregister(cls.stop)
            atexit.register(cls.stop)  # a signal kills an interpreter that is being shut down
            signal.signal(signal.SIGALRM, _alarm)
            cls.start(deadline, now)

    @classmethod
    def start(cls, fires: float, now: float) -> None:
        """Fire at this time, and then again and again."""
        cls.fires = fires
        signal.setitimer(signal.ITIMER_REAL, fires - now, GRACE_SECONDS)

    @classmethod
    def stop(cls) -> None:
        """Fire no more."""
        cls.fires = 0.0
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _alarm(number: int, frame: FrameType | None) -> None:
    if Running._outermost is not None:
        Running._outermost.alarm()
    else:
        _Timer.stop()


def forget_timer() -> None:
    """Set no timer, whatever code that ran has made of it, unless it is in use."""
    if Running._outermost is None:
        _Timer.stop()


def stops_us(error: BaseException) -> bool:
    """Whether a person stopped the command, rather than the code itself."""
    if isinstance(error, Stopped):
        return True
    default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return isinstance(error, KeyboardInterrupt) and default  # no guard is there to tell

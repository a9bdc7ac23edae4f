"""Runs a function in a process of its own, so that native code can be stopped.

Python handles no signal before native code returns, and LiteRT's loops may run for hours.
"""

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import IO, TypeVar

from opsmith.child import default_signals, held_signals, how_it_ended
from opsmith.text import decoded, excerpt

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)

Of = TypeVar("Of")


class Died(Exception):
    """Raised when the process ended without an answer; the text says how."""


def bounded(function: Callable[[], Of], seconds: float) -> Of:
    """Result of the function, or the exception that it raised. The process ends with the call in
    any case. What it writes to standard error follows, or becomes part of Died.

    Raises TimeoutError after `seconds`, and Died.
    """
    with tempfile.TemporaryFile() as said:
        try:
            found = _found(function, seconds, said)
        except Died as died:
            said.seek(0)
            last = excerpt(said.read())
            raise Died(f"{died}: {last}" if last else str(died)) from died
        said.seek(0)
        sys.stderr.write(decoded(said.read()))
    if isinstance(found, BaseException):
        raise found
    return found


def _found(function: Callable[[], Of], seconds: float, said: IO[bytes]) -> Of | BaseException:
    """Result of the function, or its exception; `said` gets its standard error."""
    context = multiprocessing.get_context("fork")  # a fork has all modules loaded
    answer, ours = context.Pipe(duplex=False)
    given = function, ours, os.getpid(), said.fileno()
    process = context.Process(target=_answer, args=given, daemon=True)
    try:
        with held_signals():
            process.start()
        ours.close()
        if not answer.poll(seconds):
            raise TimeoutError
        found: Of | BaseException = pickle.loads(answer.recv_bytes())
        return found
    except EOFError as error:
        process.join()
        raise Died(how_it_ended(process.exitcode or 0)) from error
    finally:
        if process.pid:
            process.kill()
            process.join()
        answer.close()


def _answer(function: Callable[[], object], to: Connection, caller: int, said: int) -> None:
    _die_with(caller)
    os.dup2(said, 2)  # the C library and LiteRT write to it
    default_signals()
    try:
        answer: object = function()
    except Exception as error:
        answer = error
    to.send_bytes(pickle.dumps(answer))


def _die_with(parent: int) -> None:
    """Let the kernel end this process when its parent ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent died before it could be watched
        os._exit(1)

"""Runs a function in a process of its own, so that native code can be stopped.

Python handles no signal before native code returns, and LiteRT's loops may run for hours.
"""

import ctypes
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

from opsmith.child import default_signals, held_signals, how_it_ended

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)

Of = TypeVar("Of")


class Died(Exception):
    """Raised when the process ended without an answer; the text says how."""


def bounded(function: Callable[[], Of], seconds: float) -> Of:
    """Result of the function, or the exception that it raised. The process ends with the call in
    any case.

    Raises TimeoutError after `seconds`, and Died.
    """
    context = multiprocessing.get_context("fork")  # a fork has all modules loaded
    answer, ours = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(function, ours, os.getpid()), daemon=True)
    try:
        with held_signals():
            process.start()
        ours.close()
        if not answer.poll(seconds):
            raise TimeoutError
        found: Of | BaseException = pickle.loads(answer.recv_bytes())
    except EOFError as error:
        process.join()
        raise Died(how_it_ended(process.exitcode or 0)) from error
    finally:
        if process.pid:
            process.kill()
            process.join()
        answer.close()
    if isinstance(found, BaseException):
        raise found
    return found


def _answer(function: Callable[[], object], to: Connection, caller: int) -> None:
    _die_with(caller)
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

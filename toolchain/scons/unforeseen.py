"""Coded errors for what a build did not foresee: what the system refuses, and bugs of ours."""

from __future__ import annotations

import errno
import os
from typing import Any

from toolchain.errors import ToolchainError, printable

# Of a resource that runs out, rather than of a folder that cannot be written.
_LIMITS = {
    errno.EFBIG: "raise the limit of the size of files (ulimit -f)",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "close programs: this machine has no more open files",
    errno.ENOMEM: "give the machine more memory",
    errno.EAGAIN: "raise the limit of processes (ulimit -u)",
}
_WRITE = "free space, or correct permissions"


def coded(error: Any, where: str = "the build") -> ToolchainError:
    """The error for what ended a build without one; `where`, if the exception does not say it."""
    match error:
        case ToolchainError():
            return error
        case OSError(errno=int() as number):
            place = printable(error.filename) if isinstance(error.filename, str) else where
            if number in _LIMITS:
                what = f"the system says: {os.strerror(number)}"
                return ToolchainError.of("BLD028", what, where=place, fix=_LIMITS[number])
            what = f"cannot write: {os.strerror(number)}"
            return ToolchainError.of("BLD002", what, where=place, fix=_WRITE)
        case RuntimeError(args=("can't start new thread",)):
            what, fix = "the system starts no more threads", _LIMITS[errno.EAGAIN]
            return ToolchainError.of("BLD028", what, where=where, fix=fix)
    what = f"this is a bug of ours: {type(error).__name__}: {printable(str(error))}"
    fix = "report it in the project's tracker, with the command line"
    return ToolchainError.of("BLD099", what, where=_raised(error), fix=fix)


def _raised(error: BaseException | None) -> str:
    """File and line where it was raised."""
    trace = error.__traceback__ if error is not None else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "the build"
    return printable(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")

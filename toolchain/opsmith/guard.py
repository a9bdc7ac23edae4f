"""End of every command: an exit status, and never a traceback.

sys.exit(guarded(lambda: main(sys.argv[1:])))
"""

import atexit
import contextlib
import errno
import io
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TextIO

from opsmith.errors import Problem, Stopped, ToolchainError, described, escaped, system_fix
from opsmith.home import GET_PACKAGES

FAILED = 2  # exit status for all errors with a code
SIGNALS = (signal.SIGINT, signal.SIGTERM)  # exit status is 128 plus the number
NOBODY_READS = 128 + signal.SIGPIPE  # status if the reader of the output has gone
PACKAGES = ("opsmith", "numpy", "tflite", "ai-edge-litert", "scons", "pyserial")
_REPORT = "opsmith-bug-"
_OPTIMISED = Problem(
    "BLD090",
    "Python runs with -O or -OO, which takes out checks and texts that Opsmith needs",
    "command line, or PYTHONOPTIMIZE",
    "run it without them",
)
_NO_MEMORY = Problem(
    "BLD092", "out of memory", "command line", "give the machine more memory, or a smaller model"
)
_TOO_DEEP = Problem(
    "BLD093",
    "something is nested too deeply to be read",
    "command line",
    "look for a file with very many brackets in one another",
)


def guarded(run: Callable[[], int]) -> int:
    """Status of `run`, or the status of the error that it raised, which is reported on stderr."""
    print_any_text(sys.stdout, sys.stderr)
    try:
        with _stoppable():
            if sys.flags.optimize:
                raise ToolchainError(_OPTIMISED)
            status = run()
            if sys.stdout is not None:
                sys.stdout.flush()
            return status
    except SystemExit as error:
        return _exit_status(error)
    except BaseException as error:
        return _failed(error)


def print_any_text(*streams: TextIO | None) -> None:
    """Let stdout and stderr print characters that their encoding lacks as escapes like \\xe9."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def leave(status: int | None) -> NoReturn:
    """End the process, even where a thread of an op's module would keep it alive. Objects are not
    freed one by one, which takes a fifth of a small conversion; but profilers and tracers may
    finish.
    """
    if sys.gettrace() is not None or sys.getprofile() is not None:
        sys.exit(status)
    own = threading.current_thread()
    if all(thread is own or thread.daemon for thread in threading.enumerate()):
        atexit._run_exitfuncs()  # as Python does at exit; prints errors
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit((status or 0) & 0xFF)


def tell(text: str) -> None:
    """Print text on stderr; do nothing where the process has no stderr."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):  # the stream is full, closed or absent
        with contextlib.suppress(OSError):
            os.write(2, f"{text}\n".encode("utf-8", "backslashreplace"))


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Context in which signals that ask to stop raise Stopped, so that resources are released."""
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if handler in (signal.SIG_DFL, signal.default_int_handler):  # else a user's choice
                before[number] = signal.signal(number, _stop)
    try:
        yield
    finally:
        for stopped, handler in before.items():
            signal.signal(stopped, handler)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise Stopped(number)


def _exit_status(error: SystemExit) -> int:
    """Exit status that Python would derive from a SystemExit; a message is printed on stderr."""
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    tell(escaped(str(error.code)))
    return 1


def _failed(error: BaseException) -> int:
    """Report the exception that ended a command; return the exit status."""
    if isinstance(error, KeyboardInterrupt):
        number: int = error.number if isinstance(error, Stopped) else signal.SIGINT
        tell("stopped" if number == signal.SIGTERM else "interrupted")
        return 128 + number
    if isinstance(error, BrokenPipeError) and _nobody_reads():
        return NOBODY_READS
    tell(str(coded(error)))
    return FAILED


def coded(error: BaseException, where: str = "") -> ToolchainError:
    """Error, with a code, for any exception that ended a command or a build step.

    `where` is reported where the operating system does not name the file.
    """
    try:
        return _known(error, where) or ToolchainError(_bug(error))
    except BaseException as second:  # for instance, the folder is gone
        return ToolchainError(_bug_of(type(error).__name__, f"no report: {described(second)}"))


def _nobody_reads() -> bool:
    """True if stdout is a pipe without a reader; if so, output that is left for it is dropped."""
    try:
        poll, descriptor = select.poll(), sys.stdout.fileno()
        poll.register(descriptor, 0)
        gone = any(event & select.POLLERR for _, event in poll.poll(0))
        if gone:
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    except (OSError, ValueError, AttributeError):
        return True
    return gone


def _known(error: BaseException, where: str) -> ToolchainError | None:
    """Error for an exception whose cause a user can remove; None for a bug of Opsmith."""
    if isinstance(error, ToolchainError):
        return error
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return ToolchainError(_of_system(error, where))
    of_op = _of_op(error)
    if of_op is not None:
        return of_op
    match error:
        case ImportError():
            return ToolchainError(_not_importable(error))
        case MemoryError():
            return ToolchainError(_NO_MEMORY)
        case RecursionError():
            return ToolchainError(_TOO_DEEP)
        case OSError() if system_fix(error):
            return ToolchainError(_of_system(error, where))
    return None


def _of_op(error: BaseException) -> ToolchainError | None:
    """Error for an exception that a function of an op.py raised; None for any other exception."""
    try:
        from opsmith.op.traces import failure_of_op
    except Exception:  # unchanged report, since the installation is broken
        return None
    return failure_of_op(error)


def _of_system(error: OSError, place: str) -> Problem:
    paths = [os.fsdecode(name) for name in (error.filename, error.filename2) if _is_path(name)]
    what = f"the system says: {error.strerror}"
    where = " and ".join(paths) or place or f"in {Path.cwd()}"
    return Problem("BLD091", what, where, system_fix(error))


def _not_importable(error: ImportError) -> Problem:
    return Problem(
        "BLD094",
        f"a package of Python does not load: {described(error)}",
        sys.executable,
        f"{GET_PACKAGES}, and take the programs of that environment",
    )


def _is_path(name: object) -> bool:
    return isinstance(name, str | bytes)


def _bug(error: BaseException) -> Problem:
    """Problem for an unforeseen exception, with a report about it in a file."""
    return _bug_of(described(error), _stored(_report(error)))


def _bug_of(what: str, where: str) -> Problem:
    fix = "report it in the project's tracker and attach this file, or what is said here"
    return Problem("BLD099", f"this is a bug of ours: {what}", where, fix)


def _report(error: BaseException) -> str:
    import platform  # slow imports, which few commands need
    import traceback

    lines = [
        f"command: {[sys.executable, *sys.argv]}",
        f"folder:  {_folder()}",
        f"python:  {sys.version}",
        f"system:  {platform.platform()}",
        *(f"{name}: {_version(name)}" for name in PACKAGES),
        "",
        *traceback.format_exception(error),
    ]
    return "\n".join(lines)


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        return described(error)


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _stored(report: str) -> str:
    """Path of the stored report: a new file in build/ or in the folder for temporary files."""
    import tempfile

    for folder in (Path("build"), None):
        if folder is not None and not folder.is_dir():
            continue
        try:
            descriptor, name = tempfile.mkstemp(".txt", _REPORT, folder)
            with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(report)
            return name if folder is None else str(folder / Path(name).name)
        except OSError:
            continue
    tell(escaped(report))
    return "above, since no file could be written"

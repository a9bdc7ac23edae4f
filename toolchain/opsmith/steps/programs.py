"""Runs the programs of a step: argument lists, which no shell and no substitution ever sees."""

import contextlib
import errno
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from opsmith.digests import FILE, Digests, Stamp
from opsmith.errors import ToolchainError, system_fix
from opsmith.guard import FAILED, NOBODY_READS
from opsmith.home import GET_PROGRAMS
from opsmith.progress import over_line
from opsmith.steps.lock import Locks
from opsmith.steps.seal import Made
from opsmith.steps.sealed import Declared, Unsigned
from opsmith.steps.warm import WarmCommands

ERROR = re.compile(
    r"(?:.*?ld(?:\.lld)?: )?"
    r"(?:(?P<place>[^\s:][^:]*:\d+(?::\d+)?)|(?P<file>[^\s:(][^:]*):\(\.\S+\)): "
    r"(?:(?:fatal )?error: |undefined reference to |multiple definition of )"
)
_LACKING = re.compile(r"undefined reference to `(?:opsmith::board::(\w+)\(.*|main)'")
CAME_FROM = re.compile(r"(?:.*:   required from |In file included from |\s+from )")
FEW = 12  # lines that are shown unchanged

if TYPE_CHECKING:
    from opsmith.steps.cache import Cache

QUIET = {-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP, 128 + signal.SIGINT, 128 + signal.SIGTERM}
_LONGEST = 300  # characters of a command in an error
MOST_SAID = 1 << 20  # bytes of what a command of ours writes to stderr
NOTICED = 0.05  # seconds in which the signal that ended a program reaches this process
LATEST = 2.0  # likewise, if its status names a signal
INTERRUPTED = 128 + signal.SIGINT
_OF_THE_SYSTEM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.ENOMEM, errno.EIO)
WAKES = signal.SIGURG  # ignored by processes without a handler


class Builds:
    """State that all steps of one build share."""

    def __init__(self, environ: dict[str, str], *, verbose: bool = False) -> None:
        self.environ = environ
        self.passed_on: list[str] = []  # names of environment variables, for ninja
        self.verbose = verbose
        self.digests = Digests(FILE)
        self.locks = Locks()
        self.commands = WarmCommands(environ)
        self.cache: Cache | None = None
        self.interrupted = False
        self.silent = False  # scons -s
        self.notes = False  # True if the next two are needed:
        self.steps: list[Declared] = []
        self.made: dict[str, Made] = {}  # first product -> facts


def say(text: str) -> None:
    """Print a line, in place of the line of progress if there is one."""
    with contextlib.suppress(AttributeError):  # stdout may be None
        sys.stdout.write(f"{over_line(sys.stdout)}{text}\n")  # one write: steps run in parallel
        sys.stdout.flush()


def _warn(text: str) -> None:
    """Write a program's standard error, in place of the line of progress."""
    sys.stderr.write(f"{over_line(sys.stderr)}{text}")
    sys.stderr.flush()


@dataclass(frozen=True)
class ProgramResult:
    """End of a program: its status and, if a program that makes products failed, its output."""

    status: int
    said: str = ""


def run_program(
    command: Sequence[str],
    builds: Builds,
    locks: Sequence[int],
    files: Mapping[str, Stamp] | None,
    variables: Sequence[str] = (),
) -> ProgramResult:
    """Run a program; a signal that ended it gives status 128 plus its number. `files` are the
    inputs of a program that makes products; `variables` are environment variables that it may see.
    Raises BLD010 and BLD025.
    """
    # Output of Opsmith's own commands on an interruption, before and after they can handle it, is
    # dropped.
    with tempfile.TemporaryFile() as said:  # not a pipe, which surviving processes would keep open
        held = said if _ours(command) or files is not None else None
        status = _status(command, builds, locks, held, files, variables)
        said.seek(0)
        output = said.read(MOST_SAID).decode("utf-8", "backslashreplace")
    _wake_main_thread()
    if status != 0:
        _wait_for_signal(builds, LATEST if status in QUIET else NOTICED)
    if builds.interrupted:
        return ProgramResult(INTERRUPTED)
    if output and (files is None or status <= 0 or _has_code(command, status)):
        _warn(output)
        output = ""
    if status < 0 and status not in QUIET:
        name = signal_name(-status)
        what = f"was ended by {name}"
        full = name == "SIGXFSZ"
        fix = "raise the limit of the size of files" if full else "give the machine more memory"
        raise ToolchainError.of("BLD025", what, where=shlex.join(command), fix=fix)
    return ProgramResult(128 - status if status < 0 else status, output)


def _wait_for_signal(builds: Builds, longest: float) -> None:
    """Wait until this process has noticed an interruption, too; at most `longest` seconds."""
    end = time.monotonic() + longest
    while not builds.interrupted and time.monotonic() < end:
        _wake_main_thread()
        time.sleep(NOTICED / 5)


def handle_signals_of_threads() -> None:
    """Let the main thread wake up when the system delivers a signal to a thread that runs a step:
    Python handles signals only in the main thread, which sleeps until the steps end. Call it in the
    main thread.
    """
    signal.signal(WAKES, lambda *_: None)


def _wake_main_thread() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, WAKES)


def _status(
    command: Sequence[str],
    builds: Builds,
    locks: Sequence[int],
    held: IO[bytes] | None,
    files: Mapping[str, Stamp] | None,
    variables: Sequence[str],
) -> int:
    more = {name: os.environ[name] for name in variables if name in os.environ}
    try:
        if held is not None and files is not None and _ours(command):
            return builds.commands.run(command, held.fileno(), locks, files)
        return subprocess.run(
            command, env=builds.environ | more, pass_fds=locks, stderr=held, check=False
        ).returncode
    except FileNotFoundError:
        what, fix = "is not installed", GET_PROGRAMS
        raise ToolchainError.of("BLD010", what, where=command[0], fix=fix) from None


def signal_name(number: int) -> str:
    """Name of a signal such as SIGKILL, or `signal 35` where Python has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _ours(command: Sequence[str]) -> bool:
    return tuple(command[1:3]) == ("-m", "opsmith")


def check_ending(command: Sequence[str], ended: ProgramResult, verbose: bool) -> None:
    """Show the first error of a failed program, or all output if `verbose`, and raise BLD034 unless
    the program reported an error with a code.
    """
    if _has_code(command, ended.status):
        return
    shown, place = first_error(ended.said)
    _warn(ended.said if verbose else shown)
    own = [*dropwhile(lambda word: isinstance(word, Unsigned), command)]  # without a launcher
    if _ours(command):
        own = [*command[command.index("--") + 1 :]] if "--" in command else [*command]
    what = f"{Path(own[0]).name} ended with exit status {ended.status}"
    text = shlex.join(own)
    where = place or (text if verbose or len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
    if (lacking := _LACKING.search(ended.said)) and lacking[1] is None:
        where = "app="  # startup code, whose place this is, is right
    raise ToolchainError.of("BLD034", what, where=where, fix=_fix(ended.said))


def _fix(said: str) -> str:
    """Fix for a compiler's or linker's output: of the system's error, or of the source."""
    for number in _OF_THE_SYSTEM:
        if re.search(rf": {re.escape(os.strerror(number))}$", said, re.MULTILINE):
            return system_fix(OSError(number, ""))
    if lacking := [*dict.fromkeys(found[1] for found in _LACKING.finditer(said))]:
        return _who_defines(lacking)
    if header := re.search(
        r"/(?:nodes_\w+|\w+\.check)\.cc:[\d:]+ fatal error: (\S+): No such file", said
    ):
        return f"put {header[1]} back, or correct the name of the op's kernel"
    if header := re.search(r"fatal error: ([a-z_0-9]+): No such file", said):
        fix = "firmware has no C++ standard library: "
        if (name := header[1]) in _OF_C:
            return f"{fix}include <{name[1:]}.h> in place of <{name}>"
        return f"{fix}do without, or link the model's package to a program that has it"
    return "correct what it says above"


def _who_defines(functions: Sequence[str | None]) -> str:
    """Fix for the first of functions of board.h that nothing defines, and for all that a pin
    defines, if it is one of these; None is main().
    """
    first, pins = functions[0], [each for each in ("led", "button") if each in functions]
    if first is None:
        return "define main() in a file of the folder of app="
    if first in pins:
        named, defined = (" and ".join(form % each for each in pins) for form in ("the %s", "%s()"))
        fix = (
            f"name the pin{'s' * (len(pins) > 1)} of {named} in board.toml, where its MCU's family"
        )
        return f"{fix} knows pins; elsewhere define {defined}, as board.h has it, in app='s folder"
    return f"define {first}() as runtimes/mcu/board.h declares it, in the board's folder"


_OF_C = frozenset(  # C++ headers that wrap headers of C
    "cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg"
    " cstddef cstdint cstdio cstdlib cstring ctime cwchar".split()
)


def _has_code(command: Sequence[str], status: int) -> bool:
    """True if a failed program is a command of Opsmith that has reported an error with a code."""
    return status in (FAILED, NOBODY_READS) and _ours(command)


def first_error(said: str) -> tuple[str, str]:
    """Lines to show and place of the first error; all lines, and no place, without an error.

    An error is its line, the lines of source that follow it, and the path of includes or
    instantiations.
    """
    lines = said.splitlines()
    found = next(((i, m) for i, m in enumerate(map(ERROR.match, lines)) if m), None)
    if found is None:
        return said, ""
    at, match = found
    place = match["place"] or match["file"]
    if len(lines) <= FEW:
        return said, place
    first, last = at, at + 1
    while first and CAME_FROM.match(lines[first - 1]):
        first -= 1
    while last < len(lines) and _is_source(lines[last]):
        last += 1
    more = len(lines) - (last - first)
    shown = [*_ends(lines[first:at]), *lines[at:last], f"({more} lines more: verbose=1)", ""]
    return "\n".join(shown), place


def _is_source(line: str) -> bool:
    """True if a line quotes the source, or marks a part of a quoted line."""
    return line.startswith(" ")


def _ends(way: Sequence[str]) -> Sequence[str]:
    """First and last steps of a chain of includes or instantiations."""
    return way if len(way) <= 4 else [*way[:2], *way[-2:]]

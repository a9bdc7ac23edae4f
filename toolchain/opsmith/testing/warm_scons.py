"""SCons for tests: equal to `python -m SCons`, without importing SCons each time.

Servers have imported the Python of the checkout, or of a project that is built repeatedly: full
builds take four fifths of the processor time in them. While its toolchain is edited, another server
is used, which imports none of it.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from opsmith.home import HOME, INSTALLED
from opsmith.steps.warm import WarmCommands
from opsmith.testing.checkout import ROOT

SECONDS = 300.0  # seconds for one build
SERVER = Path(__file__).with_name("scons_server.py")
READ = ("toolchain/opsmith", "runtimes")  # folders that a server of a project imports or reads
WARMED = 2  # builds with the same toolchain before a server imports it
MOST = 3  # servers of projects at a time
HEEDED = {"PYTHONPATH"}  # variables for Python's start that the server applies, too


def run_scons(
    arguments: Sequence[str], folder: Path, environ: Mapping[str, str], *, merged: bool = False
) -> subprocess.CompletedProcess[str]:
    """Completed run of SCons in a folder, with an environment; `merged`: all output in stdout."""
    apart = INSTALLED or folder == ROOT != HOME
    ours = ["-f", str(HOME / "SConstruct")] if apart else []  # the checkout's
    command = [sys.executable, "-m", "SCons", *ours, *arguments]
    if any(name.startswith("PYTHON") for name in environ.keys() - HEEDED):
        errors = subprocess.STDOUT if merged else subprocess.PIPE
        return subprocess.run(
            command,
            cwd=folder,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            check=False,
        )
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        request = [*command[:3], str(folder), json.dumps(dict(environ)), *command[3:]]
        target = stdout if merged else stderr
        commands = _servers(os.getpid()).of(folder)
        status = commands.run(request, target.fileno(), [stdout.fileno()], {}, SECONDS)
        for stream in (stdout, stderr):
            stream.seek(0)
        said = [stream.read().decode(errors="replace") for stream in (stdout, stderr)]
    return subprocess.CompletedProcess(command, status, *said)


def scons_seconds() -> float:
    """Processor time in seconds that `run_scons` has taken in this process."""
    servers = _servers(os.getpid())
    return servers.ended + sum(each.seconds for each in servers.started.values())


_Known = tuple[Path, int] | None  # a project, and a version of its toolchain


@dataclass
class _Servers:
    """Servers of one process of tests, by their imports, the last used one last."""

    started: dict[_Known, WarmCommands] = field(default_factory=dict)
    builds: Counter[_Known] = field(default_factory=Counter)
    ended: float = 0.0  # seconds used by servers that have ended

    def of(self, folder: Path) -> WarmCommands:
        """Server for a build in a folder."""
        known: _Known = (ROOT, 0) if folder == ROOT else self._often_built(folder)
        imports = [str(known[0])] if known else []
        server = self.started.pop(known, None) or WarmCommands(_environ(), [str(SERVER), *imports])
        self.started[known] = server
        projects = [each for each in self.started if each and each[0] != ROOT]
        for each in projects[:-MOST]:
            oldest = self.started.pop(each)
            oldest.end()
            self.ended += oldest.seconds
        return server

    def _often_built(self, folder: Path) -> _Known:
        """Project in a folder, if built several times with its present toolchain; else None."""
        known = folder, hash(tuple(_stamps(folder)))
        self.builds[known] += 1
        return known if self.builds[known] > WARMED else None


@cache
def _servers(process: int) -> _Servers:
    """Servers of a process, which are not shared with its forks."""
    return _Servers()


def _stamps(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Name, time and size of each file of a project that its server may import or read."""
    for place in READ:
        for parent, folders, names in os.walk(folder / place):
            folders[:] = sorted({*folders} - {"__pycache__"})
            for name in sorted(names):
                found = os.lstat(f"{parent}/{name}")
                yield f"{parent}/{name}", found.st_mtime_ns, found.st_size


def _environ() -> dict[str, str]:
    """Environment of servers: that of this process now, without HEEDED and with FIXED variables;
    requests have their own.
    """
    from opsmith.scons.environment import FIXED  # environment of commands; imports numpy

    ours = {name: value for name, value in os.environ.items() if name not in HEEDED}
    return ours | FIXED

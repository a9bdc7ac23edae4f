"""SCons for tests: what `python -m SCons` does, without importing SCons each time."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from opsmith.digests import Digests
from opsmith.home import HOME, INSTALLED
from opsmith.scons.warm import Server, WarmCommands
from opsmith.testing.checkout import ROOT

SECONDS = 300.0  # that one build may take
MOST_OWN = 3  # servers of copies
SERVER = Path(__file__).with_name("scons_server.py")
_DIGESTS = Digests()
HEEDED = {"PYTHONPATH"}  # of what Python heeds when it starts, that the server heeds, too


def run_scons(
    arguments: Sequence[str], folder: Path, environ: Mapping[str, str], *, merged: bool = False
) -> subprocess.CompletedProcess[str]:
    """What SCons answers in this folder, with this environment; `merged` has all in stdout."""
    ours = ["-f", str(HOME / "SConstruct")] if INSTALLED else []  # whatever is built there besides
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
        commands = _checkout(os.getpid()) if folder == ROOT else _projects(os.getpid()).of(folder)
        status = commands.run(request, target.fileno(), [stdout.fileno()], {}, SECONDS)
        for stream in (stdout, stderr):
            stream.seek(0)
        said = [stream.read().decode(errors="replace") for stream in (stdout, stderr)]
    return subprocess.CompletedProcess(command, status, *said)


def scons_seconds() -> float:
    """The processor time that `run_scons` has taken in this process."""
    return _checkout(os.getpid()).seconds + _projects(os.getpid()).seconds


class _Scons(WarmCommands):
    """A server of SCons: for one folder, or for every folder."""

    def __init__(self, *folder: str) -> None:
        super().__init__(_environ(), [str(SERVER), *folder])


class _Shared(_Scons):
    """A server of SCons for every folder, and of others that it forks."""

    def fork(self, folder: Path) -> socket.socket:
        """A new server of this folder answers what is sent here."""
        ours, theirs = socket.socketpair()
        reply, unread = socket.socketpair()
        with theirs, reply, unread:
            self._send(sys.executable, {}, [unread.fileno(), 2, theirs.fileno()])
            reply.sendall(json.dumps([str(folder)]).encode() + b"\n")
        return ours


class _Forked(WarmCommands):
    """A server of one folder, which that of all folders forks."""

    def __init__(self, shared: _Shared, folder: Path) -> None:
        super().__init__({})
        self._shared = shared
        self._folder = folder

    def _start(self, python: str) -> Server:
        return Server(os.getpid(), self._shared.fork(self._folder))  # whose process ends by itself


class _Projects:
    """Servers of SCons for copies of the project: one for all of them, and one for each copy that
    is built again with the Python that it had before, which imports `opsmith` from there once. Of
    these the last few are left.
    """

    def __init__(self) -> None:
        self._shared = _Shared()
        self._seen: set[tuple[Path, str]] = set()
        self._own: dict[tuple[Path, str], _Forked] = {}  # that served last comes last
        self._ended = 0.0

    def of(self, folder: Path) -> WarmCommands:
        """What runs SCons in this folder."""
        now = folder, _modules(folder)
        if now not in self._seen:
            self._seen.add(now)
            return self._shared
        self._own[now] = own = self._own.pop(now, None) or _Forked(self._shared, folder)
        if len(self._own) > MOST_OWN:
            oldest = self._own.pop(next(iter(self._own)))
            oldest.end()
            self._ended += oldest.seconds
        return own

    @property
    def seconds(self) -> float:
        """The processor time that all of them took."""
        own = sum(each.seconds for each in self._own.values())
        return self._shared.seconds + self._ended + own


def _modules(folder: Path) -> str:
    """A digest of what SConstruct and commands may import, or read while they do."""
    found = {
        (path := os.path.join(where, name)): _DIGESTS.of(path)
        for part in ("toolchain", "runtimes")
        for where, _, names in os.walk(folder / part)
        for name in names
        if name.endswith((".py", ".toml", ".lock"))
    }
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


@cache
def _projects(process: int) -> _Projects:
    """Those of this process."""
    return _Projects()


@cache
def _checkout(process: int) -> WarmCommands:
    """The server of the checkout, of this process."""
    return _Scons(str(ROOT))


def _environ() -> dict[str, str]:
    """What servers see of the environment that this process has now: requests have their own."""
    from opsmith.scons.environment import FIXED  # of our commands, for which it imports numpy

    ours = {name: value for name, value in os.environ.items() if name not in HEEDED}
    return ours | FIXED

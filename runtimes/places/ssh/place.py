"""A Linux board at the network: `place=ssh:HOST`, as OpenSSH knows it, with keys in order.

The program is copied to a temporary folder there and removed; one program at a time runs.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opsmith.child import finished
from opsmith.errors import ToolchainError
from opsmith.rig.channel import Channel
from opsmith.rig.place import Asked, Place, unfit
from opsmith.rig.process import started
from opsmith.text import escaped

_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@:-]*")
_SECONDS = 60.0  # for a copy
_OPTIONS = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
_LOCK = "/tmp/opsmith-place.lock"
_BUSY = 98  # the status of flock(1) where another program has the lock


class Remote(Place):
    """A board that runs Linux and an SSH server."""

    keeps_bytes = False

    def __init__(self, asked: Asked) -> None:
        self.title = f"ssh {asked.where}"
        self._host = asked.where
        self._program = asked.firmware.elf
        self._environment = asked.environment

    def locks(self) -> list[str]:
        """The host, for programs of this machine; the board itself has one for those of others."""
        return [f"host {self._host}"]

    @contextmanager
    def console(self) -> Iterator[Channel]:
        """Copy the program, start it, and take its standard input and output."""
        folder = self._said("mktemp", "-d")
        try:
            there = f"{folder}/{self._program.name}"
            self._copied(self._program, there)
            with started(self._ssh(self._running(there)), self.title, there) as channel:
                yield channel
        finally:
            finished(self._ssh(f"rm -rf {folder}"), _SECONDS)

    def _running(self, program: str) -> str:
        """Line for the board's shell that runs the program, and says where another one runs."""
        variables = [f"{name}={value}" for name, value in self._environment.items()]
        command = ["env", *variables, "flock", "-n", "-E", str(_BUSY), _LOCK, program]
        busy = shlex.join(["echo", "another program runs there\n  fix: wait for its end"])
        return f"{shlex.join(command)}; s=$?; [ $s != {_BUSY} ] || {busy} >&2; exit $s"

    def _said(self, *command: str) -> str:
        """Text that a command there prints. Raises RIG014."""
        if shutil.which("ssh") is None:
            raise self._error("RIG014", "ssh is not installed", "apt-get install openssh-client")
        done = finished(self._ssh(shlex.join(command)), _SECONDS)
        if done.status != 0 or not re.fullmatch(r"/[\w./-]+", done.said):
            raise self._error("RIG014", f"the board cannot be reached: {done.how}: {done.said}")
        return done.said

    def _copied(self, program: Path, there: str) -> None:
        done = finished(
            ["scp", "-q", "-p", *_OPTIONS, "--", str(program), f"{self._host}:{there}"], _SECONDS
        )
        if done.status != 0:
            raise self._error("RIG015", f"the program cannot be copied: {done.how}: {done.said}")

    def _ssh(self, line: str) -> list[str]:
        return ["ssh", "-T", *_OPTIONS, "--", self._host, line]

    def _error(self, code: str, what: str, fix: str = "") -> ToolchainError:
        fix = fix or f"try: ssh {self._host}"
        return ToolchainError.of(code, what, where=escaped(self.title), fix=escaped(fix))


def place(asked: Asked) -> Place:
    """The host after the colon."""
    if not asked.board.core.hosted:
        raise unfit(asked, "ssh", "runs no programs", "leave place= out")
    if not _HOST.fullmatch(asked.where):
        raise unfit(asked, "ssh", "needs a host", "write place=ssh:HOST or place=ssh:USER@HOST")
    return Remote(asked)

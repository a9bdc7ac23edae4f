"""Linux board on the network: `place=ssh:HOST`, a name that OpenSSH knows, with keys set up.

The program is copied to a temporary folder on the board and removed at the end; one program runs at
a time, and others wait in a POSIX shell with the flock(1) of util-linux or BusyBox.
"""

import getpass
import math
import re
import shlex
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opsmith.child import Ended, finished
from opsmith.errors import ToolchainError
from opsmith.rig.channel import Channel
from opsmith.rig.place import Place, RunRequest, unfit
from opsmith.rig.process import started
from opsmith.text import escaped, excerpt

_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@:-]*")
_SECONDS = 60.0  # for a copy
_OPTIONS = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
_MOST_BYTES = 4096  # that the board says before its program runs
# Shell lines that wait up to $wait seconds for the lock, which the program then inherits: they say
# `held` and go on after a line, or say who holds it.
_TURN = """
lock=/tmp/opsmith-place.lock
[ -e $lock ] || (umask 0; : > $lock); exec 9< $lock
until flock -n 9; do
  [ $? = 1 ] || exit 1
  [ $wait -gt 0 ] || { echo "busy $(cat $lock)"; exit 1; }
  wait=$((wait - 1)); sleep 1
done
(echo "$who" > $lock) 2> /dev/null
echo held; read go
exec """


class Remote(Place):
    """Board that runs Linux and an SSH server."""

    keeps_bytes = False

    def __init__(self, asked: RunRequest) -> None:
        self.title = f"ssh {asked.where}"
        self._host = asked.where
        self._program = asked.firmware.elf
        self._environment = asked.environment
        self._wait = asked.wait

    def locks(self) -> list[str]:
        """Names of the locks among programs of this machine: the host; the board has its own lock
        for other machines.
        """
        return [f"host {self._host}"]

    @contextmanager
    def console(self) -> Iterator[Channel]:
        """Copy the program to the board, start it, and take its standard input and output."""
        folder = self._said("mktemp", "-d")
        try:
            there = f"{folder}/{self._program.name}"
            self._copied(self._program, there)
            with started(self._ssh(self._running(there)), self.title, there) as channel:
                self._take_turn(channel)
                yield channel
        finally:
            finished(self._ssh(f"rm -rf {folder}"), _SECONDS)

    def _running(self, program: str) -> str:
        """Lines for the board's shell that run the program when its turn has come."""
        variables = [f"{name}={value}" for name, value in self._environment.items()]
        who = f"{getpass.getuser()} at {socket.gethostname()} since {time.strftime('%H:%M:%S')}"
        given = f"wait={math.ceil(self._wait)}; who={shlex.quote(who)}"
        return given + _TURN + shlex.join(["env", *variables, program])

    def _take_turn(self, channel: Channel) -> None:
        """Wait for the board's lock. Raises RIG048 where others keep it, and RIG014."""
        said, end = b"", time.monotonic() + self._wait + _SECONDS
        try:
            while b"\n" not in said and len(said) < _MOST_BYTES and time.monotonic() < end:
                said += channel.receive(1.0)
            if said == b"held\n":
                return channel.send(b"\n")
        except Ended as error:
            raise self._error("RIG014", f"the board cannot run a program: {error}") from error
        if said.startswith(b"busy"):
            what = f"the board is in use by {excerpt(said[5:]) or 'another'}"
            raise self._error(
                "RIG048", what, "wait for it with wait=SECONDS, or name another board"
            )
        raise self._error("RIG014", f"the board answers otherwise than a shell: {excerpt(said)}")

    def _said(self, *command: str) -> str:
        """Output of a command on the board. Raises RIG014."""
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


def place(asked: RunRequest) -> Place:
    """Place at the host after the colon."""
    if not asked.board.core.hosted:
        raise unfit(asked, "ssh", "runs no programs", "leave place= out")
    if not _HOST.fullmatch(asked.where):
        raise unfit(asked, "ssh", "needs a host", "write place=ssh:HOST or place=ssh:USER@HOST")
    return Remote(asked)

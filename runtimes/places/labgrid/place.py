"""Place of a labgrid coordinator: `place=labgrid:NAME`, with LG_COORDINATOR=HOST:PORT.

The coordinator holds the place for one user; its resource is a NetworkSerialPort, and its power is
switched where it has a power resource. The flash tool of board.toml runs on this machine. lab.yaml
shows a shelf of three boards, and the commands that serve it.
"""

import ast
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from opsmith.board.manifest import Console
from opsmith.child import Ended, Finished, finished
from opsmith.errors import ToolchainError
from opsmith.rig.attached import Attached
from opsmith.rig.channel import Channel
from opsmith.rig.place import Place, RunRequest, unfit
from opsmith.text import escaped

CLIENT = "labgrid-client"
HERE = Path(sys.prefix, "labgrid/bin", CLIENT)  # where ./bootstrap --all puts it
SCHEMES = {"raw": "socket", "rfc2217": "rfc2217"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_SECONDS = 60.0  # for one command of labgrid
_AGAIN = 0.5  # seconds between attempts
_RESOURCE = r"^Acquired resource '[^']*' \([^)]*/NetworkSerialPort/[^)]*\):\n(.*)"
_PORT = re.compile(_RESOURCE, re.DOTALL | re.MULTILINE)


class Acquired(Attached):
    """Board behind a labgrid coordinator."""

    def __init__(self, asked: RunRequest, console: Console, client: str) -> None:
        super().__init__(asked, console, f"labgrid {asked.where}")
        self._client = client

    def locks(self) -> list[str]:
        """Names of the locks among programs of this machine: the place; the coordinator has its own
        lock for all.
        """
        return [f"place {self.asked.where} of labgrid"]

    def console(self) -> AbstractContextManager[Channel]:
        """Acquire the place, open its port, and release the place at the end."""
        return self._acquired()

    def power(self) -> bool:
        """Switch the board's power by labgrid; False where the place has no power resource."""
        return self._run("power", "cycle").status == 0

    def flash(self) -> bool:
        """Flash by the flash tool of board.toml, if it is installed; else False."""
        flash = self.asked.board.flash
        here = flash is not None and shutil.which(flash.flasher.command[0]) is not None
        return here and super().flash()

    @contextmanager
    def _acquired(self) -> Iterator[Channel]:
        name = self.asked.where
        ours = self._acquire(time.monotonic() + self.asked.wait)
        try:
            self.title = _port(self._said("show"), name)
            with super().console() as channel:
                yield channel
        finally:
            if ours:
                self._run("release")

    def _acquire(self, end: float) -> bool:
        """Acquire the place, trying until `end`; False where this user already holds it on this
        machine, by hand or by a run that was killed. Raises RIG014 and RIG048.
        """
        while True:
            done = self._run("acquire")
            if done.status == 0:
                return True
            if "already acquired" not in done.said:
                raise self._error("RIG014", done.said or done.how)
            if "You have already acquired" in done.said:
                return False
            if time.monotonic() >= end:
                raise self._error("RIG048", done.said, "wait for it with wait=SECONDS")
            time.sleep(_AGAIN)

    def _said(self, *words: str) -> str:
        """Output of a labgrid command. Raises RIG014."""
        done = self._run(*words)
        if done.status != 0:
            raise self._error("RIG014", done.said or done.how)
        return done.said

    def _run(self, *words: str) -> Finished:
        try:
            return finished([self._client, "-p", self.asked.where, *words], _SECONDS)
        except Ended as error:
            raise self._error("RIG014", str(error)) from error

    def _error(self, code: str, what: str, fix: str = "") -> ToolchainError:
        fix = fix or f"try: {CLIENT} -p {self.asked.where} show; is LG_COORDINATOR right?"
        where = escaped(f"place=labgrid:{self.asked.where}")
        return ToolchainError.of(code, escaped(what), where=where, fix=fix)


def _port(shown: str, name: str) -> str:
    """URL of a place's port, from the output of `labgrid-client show`. Raises RIG014."""
    found = _PORT.search(shown)
    try:
        text = "" if found is None else found[1].partition("\nAcquired resource")[0]
        parameters: dict[str, Any] = ast.literal_eval(text.strip())["params"]
        scheme = SCHEMES[parameters["protocol"]]
        return f"{scheme}://{parameters['host']}:{int(parameters['port'])}"
    except (SyntaxError, ValueError, KeyError, TypeError):
        what, fix = "it has no NetworkSerialPort that is raw or rfc2217", "see lab.yaml"
        where = f"place=labgrid:{name}"
        raise ToolchainError.of("RIG014", what, where=where, fix=fix) from None


def place(asked: RunRequest) -> Place:
    """Place of the coordinator that the name after the colon gives."""
    console = asked.board.console
    if console is None:
        raise unfit(asked, "labgrid", "has no console at a serial port", "leave place= out")
    if not _NAME.fullmatch(asked.where):
        raise unfit(asked, "labgrid", "needs a place", "write place=labgrid:NAME")
    client = shutil.which(CLIENT) or (str(HERE) if HERE.is_file() else "")
    if not client:
        what, fix = f"{CLIENT} is not installed", "run ./bootstrap --all"
        raise ToolchainError.of("RIG003", what, where=str(HERE), fix=fix)
    return Acquired(asked, console, client)

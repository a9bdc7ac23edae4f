"""SCons for tests: what `python -m SCons` does, without importing SCons each time."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from opsmith.home import HOME, INSTALLED
from opsmith.steps.warm import WarmCommands
from opsmith.testing.checkout import ROOT

SECONDS = 300.0  # that one build may take
SERVER = Path(__file__).with_name("scons_server.py")
HEEDED = {"PYTHONPATH"}  # of what Python heeds when it starts, that the server heeds, too


def run_scons(
    arguments: Sequence[str], folder: Path, environ: Mapping[str, str], *, merged: bool = False
) -> subprocess.CompletedProcess[str]:
    """Completed run of SCons in this folder, with this environment; `merged` has all output in
    stdout.
    """
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
        commands = _server(os.getpid(), checkout=folder == ROOT)
        status = commands.run(request, target.fileno(), [stdout.fileno()], {}, SECONDS)
        for stream in (stdout, stderr):
            stream.seek(0)
        said = [stream.read().decode(errors="replace") for stream in (stdout, stderr)]
    return subprocess.CompletedProcess(command, status, *said)


def scons_seconds() -> float:
    """The processor time that `run_scons` has taken in this process."""
    return sum(_server(os.getpid(), checkout=each).seconds for each in (True, False))


@cache
def _server(process: int, *, checkout: bool) -> WarmCommands:
    """The server of this process, for the checkout or for any other folder."""
    return WarmCommands(_environ(), [str(SERVER), *([str(ROOT)] if checkout else [])])


def _environ() -> dict[str, str]:
    """Environment that servers see: that of this process now, without HEEDED and with FIXED
    variables; requests have their own.
    """
    from opsmith.scons.environment import FIXED  # of our commands, for which it imports numpy

    ours = {name: value for name, value in os.environ.items() if name not in HEEDED}
    return ours | FIXED

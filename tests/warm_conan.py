"""Runs Conan for tests, in processes that need not import it.

    python -P warm_conan.py DESCRIPTOR

A process is forked for each request, as `opsmith/testing/forked.py` says.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from opsmith.steps.warm import WarmCommands
from opsmith.testing.forked import request, requested

SECONDS = 300.0  # that one command may take
MODULES = ("conan.cli.cli", "conan.api.conan_api", "jinja2", "sqlite3")


def run_conan(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """What `conan ARGUMENTS` answers in this folder, with this environment."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        asked = request(cwd, env, arguments)
        status = _server(os.getpid()).run(asked, stderr.fileno(), [stdout.fileno()], {}, SECONDS)
        for stream in (stdout, stderr):
            stream.seek(0)
        return subprocess.CompletedProcess(
            ["conan", *arguments], status, stdout.read(), stderr.read()
        )


def seconds_of_conan() -> float:
    """The processor time that `run_conan` has taken in this process."""
    return _server(os.getpid()).seconds


@cache
def _server(process: int) -> WarmCommands:
    """The server of this process."""
    return WarmCommands(dict(os.environ), ["-P", str(Path(__file__))])


def main(descriptor: int) -> None:
    """Serve until the tests end, and be each Conan."""
    for name in MODULES:
        importlib.import_module(name)
    arguments = requested(descriptor)
    from conan.cli.cli import main as conan

    from opsmith.guard import leave

    try:
        conan(arguments)
    except SystemExit as ended:
        leave(int(ended.code or 0))


if __name__ == "__main__":
    main(int(sys.argv[1]))

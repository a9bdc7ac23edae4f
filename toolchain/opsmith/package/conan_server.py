"""Runs commands of Conan one after another: `python -P conan_server.py`, see `conan.py`.

Most of the time of a command goes into importing Conan, which this process does once: it forks for
each. Without it, a build of a package, which runs two, takes 1.14 times the processor time (median
of four pairs, 2026-11-28); what ops require takes four and more. A command is a line of JSON on
stdin, `{"arguments": […], "environ": {…}}`, which runs in its CONAN_HOME. So is the answer on
stdout: `{"status": …, "stdout": …, "stderr": …}`. When stdin ends, so does the process.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import IO, Any, NoReturn

MODULES = ("conan.cli.cli", "conan.api.conan_api", "jinja2", "sqlite3")  # that commands import
SIGNALS = (signal.SIGINT, signal.SIGTERM)

_running = 0  # the process of the command


def main() -> None:
    """Serve until stdin ends."""
    for number in SIGNALS:
        signal.signal(number, _stop)
    for name in MODULES:
        importlib.import_module(name)
    for line in sys.stdin.buffer:
        answer = _answer(**json.loads(line))
        try:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # who asked was killed
            os._exit(1)


def _answer(arguments: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    """What a command says, and its status, negative for the signal that ended it."""
    global _running
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if (_running := os.fork()) == 0:
            _run(arguments, environ, out, err)
        status = os.waitstatus_to_exitcode(os.waitpid(_running, 0)[1])
        _running = 0
        for stream in (out, err):
            stream.seek(0)
        return {
            "status": status,
            "stdout": out.read().decode("utf-8", "replace"),
            "stderr": err.read().decode("utf-8", "backslashreplace"),
        }


def _run(
    arguments: Sequence[str], environ: Mapping[str, str], out: IO[bytes], err: IO[bytes]
) -> NoReturn:
    """Be the command."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(environ["CONAN_HOME"])
    from conan.cli.cli import main as conan

    status = 1
    try:
        conan(list(arguments))
    except SystemExit as ended:
        status = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _stop(number: int, frame: FrameType | None) -> None:
    """End, and the command, too."""
    if _running:
        os.kill(_running, signal.SIGKILL)
    os._exit(128 + number)


if __name__ == "__main__":
    main()

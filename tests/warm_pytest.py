"""Runs pytest for tests of new ops, in processes that need not import it, LiteRT or our ops.

    python -P warm_pytest.py DESCRIPTOR

A process is forked for each request, as `command_server.py` says: without it, the tests that run
pytest take 2.07 times the processor time (two pairs, 2026-11-28). The arguments of a request are an
environment as JSON, and those of pytest; its one lock is the standard output.
"""

import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from opsmith import command_server
from opsmith.steps.warm import WarmCommands

SECONDS = 900.0  # that one pytest may take
ROOT = Path(__file__).resolve().parents[1]
# What op tests import, and what pytest's plugins do.
MODULES = ("numpy", "tflite", "pytest", "xdist.plugin", "opsmith.testing.op_tests")


def run_pytest(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Result of `python -m pytest ARGUMENTS` in the checkout: status, and stdout with stderr."""
    command = [sys.executable, "-m", "pytest", *arguments]
    with tempfile.TemporaryFile() as said:
        asked = [sys.executable, "-m", "", json.dumps(dict(os.environ)), *arguments]
        status = _server(os.getpid()).run(asked, said.fileno(), [said.fileno()], {}, SECONDS)
        said.seek(0)
        text = said.read().decode(errors="replace")
    return subprocess.CompletedProcess(command, status, text)


def seconds_of_pytest() -> float:
    """The processor time that `run_pytest` has taken in this process."""
    return _server(os.getpid()).seconds


@cache
def _server(process: int) -> WarmCommands:
    """Server of warm pytest processes, of which each process of tests has one."""
    return WarmCommands(dict(os.environ), ["-P", str(Path(__file__))])


def main(descriptor: int) -> None:
    """Serve requests until the tests end; each forked child runs pytest for one request."""
    gc.set_threshold(50_000, 20, 50)  # as in scons_server.py
    for name in MODULES:
        importlib.import_module(name)
    from opsmith.testing.known_ops import shipped_ops

    shipped_ops()
    gc.collect()
    gc.freeze()  # no collector copies what all processes share
    control = socket.socket(fileno=descriptor)
    request = command_server.serve(control, lambda arguments: None)
    control.close()
    if request is None:
        os._exit(0)
    environ, *arguments = request.arguments
    os.dup2(request.locks[0], 1)
    os.dup2(request.stderr, 2)
    request.close()
    request.reply.close()
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(json.loads(environ))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, command_server.SIGNALS)
    sys.argv = ["pytest", *arguments]
    import pytest

    status = int(pytest.main(arguments))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main(int(sys.argv[1]))

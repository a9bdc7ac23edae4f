"""What servers of tests have in common: each imports what its processes need once, and forks one
for each request, as `command_server.py` says.

The arguments of a request are a folder, an environment as JSON, and those of the process; its one
lock is the standard output.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from opsmith import command_server


def request(folder: Path, environ: Mapping[str, str], arguments: Sequence[str]) -> list[str]:
    """The command that `WarmCommands` is to run."""
    return [sys.executable, "-m", "", str(folder), json.dumps(dict(environ)), *arguments]


def requested(descriptor: int) -> list[str]:
    """Serve until the tests end. In a process of a request: its arguments, where it is to run."""
    gc.collect()
    gc.freeze()  # no collector copies what all processes share
    control = socket.socket(fileno=descriptor)
    found = command_server.serve(control, lambda arguments: None)
    control.close()
    if found is None:
        os._exit(0)
    folder, environ, *arguments = found.arguments
    os.dup2(found.locks[0], 1)
    os.dup2(found.stderr, 2)
    found.close()
    found.reply.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(json.loads(environ))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, command_server.SIGNALS)
    return arguments

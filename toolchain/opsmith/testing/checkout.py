"""Folder in which tests build, several at once, and a place in it for models of their own."""

import atexit
import fcntl
import itertools
import os
from functools import cache
from pathlib import Path

from opsmith.home import HOME, INSTALLED

_BUILD = HOME / "build"
_OURS = not INSTALLED and os.access(_BUILD if _BUILD.exists() else HOME, os.W_OK | os.X_OK)
ROOT = HOME if _OURS else Path.cwd()  # packages and checkouts of other users are not built in


@cache
def models_folder() -> Path:
    """Folder for models from elsewhere, relative to ROOT, which no other running process has.

    Its number is the first that is free, so that the next run of the tests finds earlier builds.
    """
    for number in itertools.count():
        folder = Path("build", "models", str(number))
        (ROOT / folder).mkdir(parents=True, exist_ok=True)
        lock = (ROOT / folder / ".lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        atexit.register(lock.close)
        return folder
    raise AssertionError("unreachable")

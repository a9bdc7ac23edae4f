"""The folder that tests build in: this checkout, or in each of several processes a copy of it.

SCons keeps one database for a folder, so that only one build runs there at a time. Processes of
pytest-xdist therefore have copies below build/checkouts/. They stay, so that a build needs to make
only what is new; a copy is brought up to date once, when its process first builds.
"""

from __future__ import annotations

import contextlib
import fcntl
import filecmp
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "SConstruct",
    "pyproject.toml",
    "toolchain",
    "ops",
    "boards",
    "runtimes",
    "tests/models",
)


@cache
def checkout() -> Path:
    """The root of the sources that this process builds, and of the `build/` where products are."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return ROOT
    copy = ROOT / "build" / "checkouts" / worker
    with alone(copy):
        mirror(ROOT, copy)
    return copy


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """Wait for other processes that build in this folder."""
    folder = root / "build"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def mirror(root: Path, copy: Path) -> None:
    """Make what a build reads the same in the copy."""
    sources = {path.relative_to(root) for path in _files(root)}
    for gone in [path for path in _files(copy) if path.relative_to(copy) not in sources]:
        gone.unlink()
    for path in sources:
        target = copy / path
        if not target.exists() or not filecmp.cmp(root / path, target):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / path, target)


def _files(root: Path) -> Iterator[Path]:
    """The files that a build reads."""
    for part in PARTS:
        for path in [root / part, *(root / part).rglob("*")]:
            if path.is_file() and "__pycache__" not in path.parts:
                yield path

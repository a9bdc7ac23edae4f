"""What took long to compute, kept from build to build: the answer by a digest of the question.

An answer follows from its question alone, and so does every product: a folder that is missing,
damaged, full or not writable costs time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

MOST = 8192  # answers in a folder: with more, the half that was used least recently goes
_DIGEST = 32  # bytes

_folder: Path | None = None


@contextlib.contextmanager
def kept_in(folder: Path | None) -> Iterator[None]:
    """Keep answers in this folder; in none, they last no longer than their callers keep them."""
    global _folder
    before, _folder = _folder, folder
    try:
        yield
    finally:
        if folder is not None:
            _forget(folder)
        _folder = before


def solved(solver: str, question: bytes, solve: Callable[[], bytes]) -> bytes:
    """Return the answer to a question: a kept one, or what `solve` returns.

    `solver` is the `__file__` of the module that solves it. An edit of any module beside it makes
    other questions of all.
    """
    if _folder is None:
        return solve()
    asked = hashlib.sha256(_sources(str(Path(solver).parent)) + question).digest()
    file = _folder / asked.hex()
    answer = _kept(file, asked)
    if answer is None:
        answer = solve()
        _keep(file, asked, answer)
    return answer


@cache
def _sources(folder: str) -> bytes:
    """A digest of the modules of a folder."""
    found = hashlib.sha256()
    for module in sorted(Path(folder).glob("*.py")):
        found.update(hashlib.sha256(module.read_bytes()).digest())
    return found.digest()


def _kept(file: Path, asked: bytes) -> bytes | None:
    """The answer in a file; None where there is none, or it is not what was written there."""
    with contextlib.suppress(OSError):
        content = file.read_bytes()
        if content[:_DIGEST] == hashlib.sha256(asked + content[_DIGEST:]).digest():
            with contextlib.suppress(OSError):  # of another user, or of a disk that is read-only
                os.utime(file)
            return content[_DIGEST:]
    return None


def _keep(file: Path, asked: bytes, answer: bytes) -> None:
    new = file.with_name(f"{file.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(hashlib.sha256(asked + answer).digest() + answer)
        new.replace(file)


def _forget(folder: Path) -> None:
    with contextlib.suppress(OSError):
        found = list(folder.iterdir())
        if len(found) > MOST:
            found.sort(key=lambda file: file.stat().st_mtime_ns)
            for file in found[: -MOST // 2]:
                file.unlink(missing_ok=True)

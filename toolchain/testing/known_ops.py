"""Op folders, each loaded once in a process of tests rather than once in each test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from toolchain.errors import ToolchainError
from toolchain.op.discover import OpFolder, OpIndex, discover, index, load_op

_Stamp = tuple[tuple[str, int, int], ...]


def known_ops(folders: Sequence[Path]) -> OpIndex:
    """The index of these op folders. Raises what `discover` raises."""
    try:
        return index([loaded(folder) for folder in folders])
    except ToolchainError:
        return discover(folders)  # which tells the problems of all folders


def loaded(folder: Path) -> OpFolder:
    """The op of a folder, loaded again only when a file in it has changed. Raises OPS0xx."""
    return _loaded(folder, _stamp(folder))


@lru_cache(maxsize=256)
def _loaded(folder: Path, stamp: _Stamp) -> OpFolder:
    return load_op(folder)


def _stamp(folder: Path) -> _Stamp:
    """Name, time and size of the files below the folder; nothing where there are none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    stats = [(str(path.relative_to(folder)), path.stat()) for path in files]
    return tuple((name, found.st_mtime_ns, found.st_size) for name, found in stats)

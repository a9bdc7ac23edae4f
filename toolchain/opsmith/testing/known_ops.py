"""Op folders, each loaded once in a process of tests rather than once in each test."""

import os
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import discover, load_op
from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.op.index import OpFolder, OpIndex, index

SHIPPED = HOME / "ops"
_Stamp = tuple[tuple[str, int, int], ...]


@cache
def shipped_ops() -> OpIndex:
    """Index of the ops of this repository, which no test edits."""
    return discover([SHIPPED])


def known_beside(op_folder: Path, backend: Path | None = None) -> OpIndex:
    """Index of an op, with the kernels of a further backend, and of all other shipped ops."""
    shipped = shipped_ops().by_name.values()
    if backend is None and any(each.folder == op_folder for each in shipped):
        return shipped_ops()
    others = (each for each in shipped if each.folder.name != op_folder.name)
    if backend is None:
        return index([loaded(op_folder), *others])
    return index([load_op(op_folder, backend_folders([backend.parent])), *others])


def known_ops(folders: Sequence[Path]) -> OpIndex:
    """Index of op folders. Raises errors of `discover`."""
    try:
        return index([loaded(folder) for folder in folders])
    except ToolchainError:
        return discover(folders)  # reports the problems of all folders


def loaded(folder: Path) -> OpFolder:
    """Op of a folder, loaded again only when a file in it has changed. Raises OPS0xx."""
    if folder.parent == SHIPPED:
        return shipped_ops().by_name[folder.name]
    return _loaded(folder, _stamp(folder))


@lru_cache(maxsize=256)
def _loaded(folder: Path, stamp: _Stamp) -> OpFolder:
    return load_op(folder)


def _stamp(folder: Path) -> _Stamp:
    """Name, time and size of each file below a folder; empty for a missing folder."""
    return tuple(sorted(_stamps(folder)))


def _stamps(folder: Path) -> Iterator[tuple[str, int, int]]:
    for place, folders, names in os.walk(folder):
        # Other processes write bytecode, under short-lived names.
        folders[:] = [name for name in folders if name != "__pycache__"]
        for path in (Path(place, name) for name in names if not name.startswith(".")):
            found = path.stat()
            yield str(path.relative_to(folder)), found.st_mtime_ns, found.st_size

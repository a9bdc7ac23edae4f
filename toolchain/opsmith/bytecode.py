"""Modules of ours, imported as they are now.

Python takes the bytecode that it stored where the source's size and its time in whole seconds are
the same. A file that is edited twice within a second may have both, and a build that just made sure
of its inputs would run something else.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterable, Mapping
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

_folders: set[str] = set()


class ExactLoader(SourceFileLoader):
    """Loads a module whose bytecode is taken where the source's content and time are the same."""

    def path_stats(self, path: str) -> Mapping[str, int]:
        """What Python compares: 32 bits that are a time elsewhere, and the size.

        Nothing counts that a copy of a checkout would not keep.
        """
        time = os.stat(path).st_mtime_ns  # first: what is edited meanwhile has another
        content = self.get_data(path)
        return {"mtime": zlib.crc32(content, zlib.crc32(b"%d" % time)), "size": len(content)}


def import_exactly(folder: Path) -> None:
    """From now on, modules of this folder and of those below it are loaded so."""
    if not _folders:
        sys.path_hooks.insert(0, _finder)
    _folders.add(str(folder))


def _finder(path: str) -> FileFinder:
    if not any(str(folder) in _folders for folder in (Path(path), *Path(path).parents)):
        raise ImportError("left to Python", path=path)
    return FileFinder(path, (ExactLoader, SOURCE_SUFFIXES))


def store(folders: Iterable[Path | str]) -> None:
    """Compile all modules below these folders, so that whoever copies them need not do it."""
    for file in sorted(path for folder in folders for path in Path(folder).rglob("*.py")):
        ExactLoader(file.stem, str(file)).get_code(file.stem)

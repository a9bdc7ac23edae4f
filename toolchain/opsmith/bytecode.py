"""Modules of ours, imported as they are now.

Python takes the bytecode that it stored where the source's size and its time in whole seconds are
the same. A file that is edited twice within a second may have both, and a build that just made sure
of its inputs would run something else. An installed Opsmith is edited by nobody: there the bytecode
counts that the installer stored, and no other is stored beside it.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterable, Mapping
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path
from typing import Any

from opsmith.home import INSTALLED, PACKAGE

# Those of importlib.abc, which imports much that hardly any command needs.
_FileLoader, _SourceLoader = SourceFileLoader.__bases__
_folders: dict[str, type[ExactLoader | PackageLoader]] = {}


class ExactLoader(SourceFileLoader):
    """Loads a module whose bytecode is taken where the source's content and time are the same."""

    def path_stats(self, path: str) -> Mapping[str, int]:
        """What Python compares: 32 bits that are a time elsewhere, and the size.

        Nothing counts that a copy of a checkout would not keep.
        """
        if _is_installed(path):
            return super().path_stats(path)
        time = os.stat(path).st_mtime_ns  # first: what is edited meanwhile has another
        content = self.get_data(path)
        return {"mtime": zlib.crc32(content, zlib.crc32(b"%d" % time)), "size": len(content)}

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Write bytecode, unless it would lie in an installed package."""
        if not _is_installed(path):
            super().set_data(path, data, _mode=_mode)


class PackageLoader(_FileLoader, _SourceLoader):  # type: ignore[misc,valid-type] # as Python does
    """Does the same for our own modules. pytest, of which we are a plugin, would rewrite them all
    for the sake of their assertions if they had a loader of Python's for files.
    """

    def path_stats(self, path: str) -> Mapping[str, int]:
        """What Python compares."""
        return ExactLoader(self.name, path).path_stats(path)

    def set_data(self, path: str, data: Any) -> None:
        """Write bytecode."""
        ExactLoader(self.name, path).set_data(path, data)


def import_exactly(folder: Path, loader: type[ExactLoader | PackageLoader] = ExactLoader) -> None:
    """From now on, modules of this folder and of those below it are loaded so."""
    if not _folders:
        sys.path_hooks.insert(0, _finder)
    if str(folder) not in _folders:
        _folders[str(folder)] = loader
        sys.path_importer_cache.pop(str(folder), None)  # which this module may have come from


def _is_installed(path: str) -> bool:
    return INSTALLED and path.startswith(f"{PACKAGE}{os.sep}")


def _finder(path: str) -> FileFinder:
    outermost_first = [str(folder) for folder in (Path(path), *Path(path).parents)][::-1]
    loader = next((_folders[folder] for folder in outermost_first if folder in _folders), None)
    if loader is None:
        raise ImportError("left to Python", path=path)
    return FileFinder(path, (loader, SOURCE_SUFFIXES))


def store(folders: Iterable[Path | str]) -> None:
    """Compile all modules below these folders, so that whoever copies them need not do it."""
    for file in sorted(path for folder in folders for path in Path(folder).rglob("*.py")):
        ExactLoader(file.stem, str(file)).get_code(file.stem)

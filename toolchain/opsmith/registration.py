"""Which files of a folder its Python may import or read: those whose edits make it run again."""

from __future__ import annotations

import os
from pathlib import Path

# What C++ kernels are made of decides no registration. Those in other languages do, too, but an
# emitter reads them when a model is converted.
COMPILED = (".h", ".c", ".cc", ".S")
IGNORED = ("__pycache__",)


def registration_files(folder: Path) -> list[Path]:
    """The files below the folder, sorted, without kernels, tests, documents and what is hidden."""
    return [file for file in all_files(folder) if _registers(file.name)]


def all_files(folder: Path) -> list[Path]:
    """The files below the folder, sorted, without bytecode and what is hidden: an emitter may copy
    any of them into what it writes.
    """
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in IGNORED and each[0] != ".")
        found += [os.path.join(place, name) for name in names if _counts(name)]
    paths = map(Path, filter(os.path.isfile, found))
    return sorted(paths, key=lambda path: path.parts)


def _counts(name: str) -> bool:
    return not name.startswith(".") and not name.endswith(".pyc")


def _registers(name: str) -> bool:
    return not name.startswith("test_") and not name.endswith((*COMPILED, ".md"))

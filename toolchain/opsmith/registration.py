"""Files of a folder that its Python may import or read; editing such a file makes it run again."""

import contextlib
import os
from pathlib import Path

# Code of C++ kernels does not affect registrations. Nor does that of kernels in other languages,
# but emitters read it when a model is converted.
COMPILED = (".h", ".c", ".cc", ".S")
IGNORED = ("__pycache__",)


def registration_files(folder: Path) -> list[Path]:
    """Files below a folder, sorted, without kernels, tests, documents and hidden files."""
    return [Path(file) for file in all_names(folder) if _registers(os.path.basename(file))]


def all_files(folder: Path) -> list[Path]:
    """Files below a folder, sorted, without bytecode and hidden files: an emitter may copy any of
    the files into its output.
    """
    return [Path(file) for file in all_names(folder)]


def all_names(folder: Path | str) -> list[str]:
    """Paths of the files below a folder, sorted, as texts, for callers that read all op folders."""
    found: list[str] = []
    _look(str(folder), found)
    return sorted(found, key=lambda path: path.split(os.sep))


def _look(folder: str, found: list[str]) -> None:
    """Add the files of a folder and of its subfolders to `found`, without following links."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name in IGNORED or name.endswith(".pyc"):
                continue
            if entry.is_dir(follow_symlinks=False):
                _look(entry.path, found)
            elif entry.is_file(follow_symlinks=False) or os.path.isfile(entry.path):
                found.append(entry.path)


def _registers(name: str) -> bool:
    return not name.startswith("test_") and not name.endswith((*COMPILED, ".md"))

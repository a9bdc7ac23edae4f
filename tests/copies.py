"""Copies of the checkout's folders, while other processes import from them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def copied(folder: Path, target: Path) -> Path:
    """`target`, a new copy of the folder without bytecode: half-written files of it disappear.

    Links stay links: of the packages of opsmith, one leads to a folder beside them.
    """
    shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def restored(saved: Path, target: Path) -> Path:
    """`target`, as a copy of a folder that nobody writes to: of an earlier copy, files stay whose
    size and time are right. To copy a project anew takes ten times as long.
    """
    target.mkdir(parents=True, exist_ok=True)
    there = {entry.name: entry for entry in os.scandir(target)}
    for entry in os.scandir(saved):
        found, place = there.pop(entry.name, None), target / entry.name
        if entry.is_dir(follow_symlinks=False):
            if found is not None and not found.is_dir(follow_symlinks=False):
                place.unlink()
            restored(Path(entry.path), place)
        elif found is None or _differ(entry, found):
            _remove(place)
            shutil.copy2(entry.path, place, follow_symlinks=False)
    for name in there:
        _remove(target / name)
    return target


def _differ(saved: os.DirEntry[str], found: os.DirEntry[str]) -> bool:
    one, other = (each.stat(follow_symlinks=False) for each in (saved, found))
    fields = ("st_mode", "st_size", "st_mtime_ns")
    return any(getattr(one, field) != getattr(other, field) for field in fields)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

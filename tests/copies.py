"""Copies of the checkout's folders, while other processes import from them."""

import os
import shutil
from collections.abc import Callable, Collection
from pathlib import Path

LeftOut = Callable[[str, list[str]], Collection[str]]  # as shutil.ignore_patterns gives it


def copied(folder: Path, target: Path) -> Path:
    """`target`, a new copy of the folder without bytecode, whose half-written files come and go.

    Links stay links: of the packages of opsmith, one leads to a folder beside them.
    """
    shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def restored(saved: Path, target: Path, left_out: LeftOut = lambda *_: ()) -> Path:
    """`target`, as a copy of a folder that nobody writes to, without ignored names. Files of an
    earlier copy stay if size and time are right, as copying all takes ten times as long.
    """
    target.mkdir(parents=True, exist_ok=True)
    there = {entry.name: entry for entry in os.scandir(target)}
    entries = {entry.name: entry for entry in os.scandir(saved)}
    for name in entries.keys() - left_out(str(saved), [*entries]):
        entry, found, place = entries[name], there.pop(name, None), target / name
        if entry.is_dir(follow_symlinks=False):
            if found is not None and not found.is_dir(follow_symlinks=False):
                place.unlink()
            restored(Path(entry.path), place, left_out)
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

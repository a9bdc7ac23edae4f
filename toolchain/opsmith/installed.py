"""Op folders and backends of installed packages, which declare entry points.

    [project.entry-points."opsmith.ops"]
    filters = "filter_ops"

    [project.entry-points."opsmith.backends"]
    filters = "filter_backends"

The value names a package, or a package in it, whose folder holds op folders, or backends. Nothing
is imported: this runs in the SConstruct, on every call.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from opsmith.errors import Problem, described, raise_all

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint, EntryPoints


@dataclass(frozen=True)
class _Kind:
    """Kind of folders that installed packages bring: entry-point group, and marker file."""

    group: str
    file: str
    what: str


_OPS = _Kind("opsmith.ops", "op.py", "op folders")
_BACKENDS = _Kind("opsmith.backends", "runtime.toml", "backends")
_DECLARED = "entry_points.txt"
_UNINSTALL = "pip uninstall"


def installed_ops() -> tuple[Path, ...]:
    """Folders with op folders of installed packages, sorted by entry point. Raises BLD013."""
    return _installed(_OPS)


def installed_backends() -> tuple[Path, ...]:
    """Folders with backends of installed packages, sorted by entry point. Raises BLD013."""
    return _installed(_BACKENDS)


def _installed(kind: _Kind) -> tuple[Path, ...]:
    found: list[Path] = []
    problems = []
    points = _points(kind.group, *sys.path)
    for point in sorted(points, key=lambda each: (each.name, each.value)):
        folder = _folder(point, kind)
        if folder is None:
            problems.append(_nowhere(point, kind))
        elif folder not in found:
            found.append(folder)
    raise_all(problems)
    return tuple(found)


@lru_cache(maxsize=2)  # reads a file of each installed package
def _points(group: str, *path: str) -> EntryPoints | tuple[EntryPoint, ...]:
    """Entry points of a group in packages on `path`, which is that of `sys.path`."""
    others = any(hasattr(finder, "find_distributions") for finder in _other_finders())
    if not others and not any(_may_declare(place or ".", group.encode()) for place in path):
        return ()
    from importlib.metadata import distributions, entry_points  # slow, above all with many packages

    try:
        return entry_points(group=group)
    except Exception:  # one malformed list would hide those of all packages
        raise_all(_unreadable(distributions()))
        raise


def _unreadable(packages: Iterable[Distribution]) -> Iterator[Problem]:
    """Problems of packages whose lists of entry points cannot be parsed."""
    for package in packages:
        try:
            _ = package.entry_points
        except Exception as error:
            what = f"the entry points of the installed package '{package.name}' cannot be read: "
            what += described(error)
            where, fix = str(package.locate_file("")), f"reinstall or remove it: {_UNINSTALL}"
            yield Problem("BLD013", what, where, f"{fix} {package.name}")


def _other_finders() -> Iterator[object]:
    """Finders on `sys.meta_path` that find modules, and perhaps packages, outside `sys.path`."""
    return (finder for finder in sys.meta_path if finder is not PathFinder)


def _may_declare(place: str, group: bytes) -> bool:
    """True if packages in a folder may have entry points of the group; true for an archive."""
    if os.path.isfile(place):
        return True
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if not entry.name.lower().endswith((".dist-info", "egg-info")):
                continue
            with suppress(OSError), open(os.path.join(entry.path, _DECLARED), "rb") as file:
                if group in file.read():
                    return True
    return False


def _folder(point: EntryPoint, kind: _Kind) -> Path | None:
    named = point.pattern.match(point.value)
    if named is None:
        return None
    first, *rest = named["module"].split(".")
    try:
        spec = importlib.util.find_spec(first)  # for a top-level name this imports nothing
    except (ImportError, ValueError):
        spec = None
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    folders = [Path(place, *rest) for place in places]
    return next((folder for folder in folders if any(folder.glob(f"*/{kind.file}"))), None)


def _nowhere(point: EntryPoint, kind: _Kind) -> Problem:
    package = "unknown" if point.dist is None else point.dist.name
    fix = f"name a folder of {kind.what} in its pyproject.toml, or remove the package"
    if point.dist is not None:
        fix = f"{fix}: {_UNINSTALL} {point.dist.name}"
    return Problem(
        "BLD013",
        f"the installed package '{package}' says that '{point.value}' holds {kind.what}",
        f"entry point {point.name} of group {kind.group}",
        fix,
    )

"""Op folders of installed packages: those that declare an entry point of group `opsmith.ops`.

    [project.entry-points."opsmith.ops"]
    filters = "filter_ops"

The value names a package, or a package in it, whose folder holds op folders. Nothing is imported:
this runs in the SConstruct, on every call.
"""

from __future__ import annotations

import importlib.util
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from toolchain.errors import Problem, raise_all

GROUP = "opsmith.ops"


def installed_ops() -> tuple[Path, ...]:
    """The folders of op folders that packages bring, sorted by entry point. Raises BLD013."""
    found: list[Path] = []
    problems = []
    for point in sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value)):
        folder = _folder(point)
        if folder is None:
            problems.append(_nowhere(point))
        elif folder not in found:
            found.append(folder)
    raise_all(problems)
    return tuple(found)


def _folder(point: EntryPoint) -> Path | None:
    first, *rest = point.module.split(".")
    try:
        spec = importlib.util.find_spec(first)  # of a top-level name: imports nothing
    except (ImportError, ValueError):
        spec = None
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    folders = [Path(place, *rest) for place in places]
    return next((folder for folder in folders if any(folder.glob("*/op.py"))), None)


def _nowhere(point: EntryPoint) -> Problem:
    package = point.dist.name if point.dist is not None else "unknown"
    return Problem(
        "BLD013",
        f"the installed package '{package}' says that '{point.value}' holds op folders",
        f"entry point {point.name} of group {GROUP}",
        f"name a folder of op folders in its pyproject.toml, or remove the package: "
        f"pip uninstall {package}",
    )

"""Metadata of the distribution, read from pyproject.toml and written as METADATA and
entry_points.txt.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Metadata:
    """Name, version, and the texts of two files."""

    name: str
    version: str
    text: str
    entry_points: str

    @classmethod
    def read(cls, root: Path) -> Metadata:
        """Metadata of the checkout at `root`."""
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        readme = (root / project["readme"]).read_text(encoding="utf-8")
        head = "".join(f"{key}: {value}\n" for key, value in _fields(project))
        groups = {"console_scripts": project["scripts"], **project["entry-points"]}
        points = "\n".join(_section(name, group) for name, group in groups.items())
        return cls(project["name"], project["version"], f"{head}\n{readme}", points)


def _fields(project: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Metadata-Version", "2.4"
    yield "Name", project["name"]
    yield "Version", project["version"]
    yield "Summary", project["description"]
    yield "License-Expression", project["license"]
    yield from (("License-File", file) for file in project["license-files"])
    yield "Requires-Python", project["requires-python"]
    yield from (("Requires-Dist", each) for each in project["dependencies"])
    for extra, required in project["optional-dependencies"].items():
        yield "Provides-Extra", extra
        yield from (("Requires-Dist", f'{each}; extra == "{extra}"') for each in required)
    yield "Description-Content-Type", "text/markdown"


def _section(name: str, values: Mapping[str, str]) -> str:
    return "".join([f"[{name}]\n", *(f"{key} = {value}\n" for key, value in values.items())])

"""The file `<model>.tune.toml`: what each kernel that a node could have took on a rig.

It belongs to one model, is an input of its builds, and has a table for each target on which it was
measured: board, runtime and opt. Kernels are identified by name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError

CLOCK = "nanoseconds"  # of the host; of nodes on a device, with all that surrounds them
EVENTS = "device_nanoseconds"  # of nodes on a device, the device's own
AGAIN = "measure again: scons board=… model=… tune; or leave out tune=, or delete MODEL.tune.toml"
_KEY = "model_sha256"
_LINE = re.compile(rb"^model_sha256 *=", re.MULTILINE)  # which model.h does not have
Figures = Mapping[str, Mapping[str, int]]  # node -> kernel -> figure


@dataclass(frozen=True)
class Tuning:
    """The measurements on one target."""

    unit: str  # 'modelled_cycles', 'instructions', 'cycles', CLOCK or EVENTS
    nodes: Figures
    sources: Mapping[str, str] = field(default_factory=dict)  # op -> digest of its kernels' files


def read_tuning(path: Path, sha256: str) -> dict[str, Tuning]:
    """Read the measurements by target. Raises BLD070, and BLD071 for those of another model."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        found = str(data.pop(_KEY))
        tunings = {target: _tuning(table) for target, table in data.items()}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise _unreadable(path, error) from None
    if found != sha256:
        what = f"was measured with another model, whose SHA-256 is {found[:12]}…"
        raise ToolchainError.of("BLD071", what, where=str(path), fix=AGAIN)
    return tunings


def _unreadable(path: Path, error: Exception) -> ToolchainError:
    why = error.strerror if isinstance(error, OSError) else str(error)
    what = f"is not a file that `tune` wrote: {why}"
    if isinstance(error, KeyError):
        what = f"is not a file that `tune` wrote: it has no {error}"
    return ToolchainError.of("BLD070", what, where=str(path), fix=AGAIN)


def check_replaceable(path: Path) -> None:
    """Raise BLD070 for a folder, or a file of something else, which no measurement must replace."""
    content = path.read_bytes() if path.is_file() else b""
    others = bool(content.strip()) and not _LINE.search(content)
    if others or (path.exists() and not path.is_file()):
        what, fix = "is not a file that `tune` wrote, which it would replace", "name another file"
        raise ToolchainError.of("BLD070", what, where=str(path), fix=fix)


def write_tuning(sha256: str, tunings: Mapping[str, Tuning]) -> str:
    """The text of the file."""
    lines = ["# What `scons … tune` measured: an input of this model's builds."]
    lines += [f'{_KEY} = "{sha256}"']
    for target, tuning in sorted(tunings.items()):
        lines += ["", f"[{target}]", f'unit = "{tuning.unit}"']
        digests = ", ".join(f'{op} = "{of}"' for op, of in sorted(tuning.sources.items()))
        lines += [f"sources = {{ {digests} }}"]
        for name, figures in tuning.nodes.items():
            listed = ", ".join(f'"{kernel}" = {figure}' for kernel, figure in figures.items())
            lines += [f"nodes.{name} = {{ {listed} }}"]
    return "\n".join([*lines, ""])


def _tuning(table: Any) -> Tuning:
    if not isinstance(table, dict):
        raise TypeError(f"{table!r} is no table")
    nodes = {
        str(name): {str(kernel): _figure(figure) for kernel, figure in figures.items()}
        for name, figures in table.get("nodes", {}).items()
    }
    sources = {str(op): str(digest) for op, digest in table["sources"].items()}
    return Tuning(str(table["unit"]), nodes, sources)


def _figure(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no whole number")
    return value

"""The file `<model>.tune.toml`: measured times of each kernel that a node could have.

The file belongs to one model, is an input of its builds, and has a table for each target on which
it was measured: board, runtime and opt. Kernels are identified by name.
"""

import errno
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opsmith.board.read import read_tables
from opsmith.errors import Problem, ToolchainError, shown
from opsmith.reading import UnreadableError, check_regular, read_bytes
from opsmith.writing import check_writable

CLOCK = "nanoseconds"  # of the host's clock; for nodes on a device, with all overhead
EVENTS = "device_nanoseconds"  # of the device's clock, for its nodes
UNITS = ("modelled_cycles", "instructions", "cycles", CLOCK, EVENTS)
AGAIN = "measure again: scons board=… model=… tune; or leave out tune=, or delete MODEL.tune.toml"
_WRITTEN = "leave out tune=, or delete MODEL.tune.toml; to measure: scons board=… model=… tune"
_MOST_BYTES = 2 << 20  # a thousand nodes with six kernels take 150 KB for each target
_KEY = "model_sha256"
_LINE = re.compile(rb"^model_sha256 *=", re.MULTILINE)  # a line that model.h does not have
_MOST = 1 << 63  # limit of a figure
Figures = Mapping[str, Mapping[str, int]]  # node -> kernel -> figure


@dataclass(frozen=True)
class Tuning:
    """Measurements on one target."""

    unit: str  # one of UNITS
    nodes: Figures
    sources: Mapping[str, str] = field(default_factory=dict)  # op -> digest of its kernels' files


def read_tuning(path: Path, sha256: str) -> dict[str, Tuning]:
    """Read measurements by target. Raises BLD070, and BLD071 for a file of another model."""
    try:
        data = read_tables(path, _MOST_BYTES)
        found = _text(_member(data, _KEY))
        tunings = {target: _tuning(table) for target, table in data.items() if target != _KEY}
    except UnreadableError as error:
        raise ToolchainError(_no_tuning(path, error)) from None
    if found != sha256:
        what = f"was measured with another model, whose SHA-256 is {found[:12]}…"
        raise ToolchainError.of("BLD071", what, where=str(path), fix=AGAIN)
    return tunings


def unreadable(path: Path) -> Iterator[Problem]:
    """Problem BLD070 of a path that exists but cannot be read as a file: a pipe, a dangling link,
    or more bytes than `tune` writes.
    """
    try:
        if os.path.lexists(path):
            check_regular(path, _MOST_BYTES)
    except UnreadableError as error:
        yield _no_tuning(path, error)


def _no_tuning(path: Path, why: UnreadableError) -> Problem:
    return Problem("BLD070", f"is not a file that `tune` wrote: {why}", str(path), _WRITTEN)


def check_replaceable(path: Path) -> None:
    """Raise BLD070 for a folder, or a file of another kind, which measurements must not replace;
    BLD002 where the file cannot be written.
    """
    try:
        content = read_bytes(path, _MOST_BYTES) if os.path.lexists(path) else b""
        others = bool(content.strip()) and not _LINE.search(content)
    except UnreadableError:
        others = True
    if others:
        what = "is not a file that `tune` wrote, which it would replace"
        fix = "name another file with tune=, or move this one away"
        raise ToolchainError.of("BLD070", what, where=str(path), fix=fix)
    try:
        check_writable(path.parent, path.name)
    except OSError as error:
        long = error.errno == errno.ENAMETOOLONG
        fix = "give it a shorter name" if long else "name a file in a folder of yours"
        what, fix = f"cannot write: {error.strerror}", f"{fix} with tune="
        raise ToolchainError.of("BLD002", what, where=str(path), fix=fix) from error


def write_tuning(sha256: str, tunings: Mapping[str, Tuning]) -> str:
    """Text of the file of measurements for a model with this SHA-256."""
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


def _tuning(value: object) -> Tuning:
    table = _table(value)
    nodes = {
        name: {kernel: _figure(figure) for kernel, figure in _table(figures).items()}
        for name, figures in _table(table.get("nodes", {})).items()
    }
    sources = {op: _text(digest) for op, digest in _table(_member(table, "sources")).items()}
    unit = _text(_member(table, "unit"))
    if unit not in UNITS:
        raise UnreadableError(f"unit is {shown(unit)}, none of {', '.join(UNITS)}")
    return Tuning(unit, nodes, sources)


def _member(table: Mapping[str, object], key: str) -> object:
    if key not in table:
        raise UnreadableError(f"it has no '{key}'")
    return table[key]


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise UnreadableError(f"{shown(value)} is no table")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise UnreadableError(f"{shown(value)} is no text")
    return value


def _figure(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
        raise UnreadableError(f"{shown(value)} is no integer that was measured")
    return value

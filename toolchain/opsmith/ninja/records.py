"""Writes the records that `check.py` compares."""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from opsmith.digests import Digests
from opsmith.errors import ToolchainError
from opsmith.ninja.check import (
    UNKNOWN,
    content_digest,
    is_settled,
    link_digest,
    read_record,
    stamp_of,
    variable,
    write_record,
)
from opsmith.steps.seal import Made


def files_of(made: Made) -> dict[str, str]:
    """The digests of all files that a step depends on, those that it made included."""
    return {**made.read, **made.inputs, **made.products}


def file_lines(files: Mapping[str, str], known: Digests) -> list[str]:
    """The lines of files that had these digests when they were used."""
    return [f"file {_stamp(path, files[path], known)} {files[path]} {path}" for path in files]


def _stamp(path: str, digest: str, known: Digests) -> str:
    stamp = known.settled(path) if known.of(path) == digest else None
    return UNKNOWN if stamp is None else ".".join(map(str, stamp))


def folder_line(path: str) -> str:
    """The line of a folder, as it is."""
    stamp = stamp_of(path)
    names = content_digest("folder", path)
    return f"folder {stamp if is_settled(stamp) else UNKNOWN} {names} {path}"


def nothing_lines(paths: Iterable[str]) -> list[str]:
    """The lines of paths that lead to nothing."""
    return [f"nothing - - {path}" for path in paths]


def link_lines(paths: Iterable[str]) -> list[str]:
    """The lines of paths, and of all folders on the way to them, as symbolic links or none:
    argument lists have the paths that links lead to.
    """
    found: set[str] = set()
    for path in paths:
        while path not in ("", os.sep) and path not in found:
            found.add(path)
            path = os.path.dirname(path)
    return [f"link - {link_digest(path)} {path}" for path in sorted(found)]


def process_lines(names: Iterable[str]) -> list[str]:
    """The lines of what a process has: these variables, its Python, its folder."""
    found = [f"variable - - {variable(name)}" for name in names]
    return [*found, f"python - - {sys.version!a}", f"root - - {os.getcwd()!a}"]


def write_step(folder: Path, name: str, made: Made, graph: Iterable[str], known: Digests) -> None:
    """Write the record of a step, without what is in that of the graph."""
    files = files_of(made)
    own = {path: files[path] for path in sorted(files.keys() - set(graph))}
    write_record(str(folder / f"{name}.record"), file_lines(own, known))


def paths_of(record: Path) -> set[str]:
    """The files of a record. Raises BLD102 where it is damaged."""
    try:
        lines = [line.split(" ", 3) for line in read_record(str(record))]
        return {path for kind, _, _, path in lines if kind == "file"}
    except (OSError, ValueError) as error:
        raise damaged(record) from error


def damaged(record: Path) -> ToolchainError:
    """The error for a record that cannot be read."""
    fix = "delete it and run ninja again, which has SCons write it anew"
    return ToolchainError.of("BLD102", "is damaged", where=str(record), fix=fix)

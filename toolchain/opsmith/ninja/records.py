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
    """Digests of all files of a step: inputs, files read, and products."""
    return {**made.read, **made.inputs, **made.products}


def file_lines(files: Mapping[str, str], known: Digests) -> list[str]:
    """Lines of a record for files that had the given digests when they were used."""
    return [f"file {_stamp(path, files[path], known)} {files[path]} {path}" for path in files]


def _stamp(path: str, digest: str, known: Digests) -> str:
    stamp = known.settled(path) if known.of(path) == digest else None
    return UNKNOWN if stamp is None else ".".join(map(str, stamp))


def folder_line(path: str) -> str:
    """Line of a record for a folder in its current state."""
    stamp = stamp_of(path)
    names = content_digest("folder", path)
    return f"folder {stamp if is_settled(stamp) else UNKNOWN} {names} {path}"


def nothing_lines(paths: Iterable[str]) -> list[str]:
    """Lines of a record for paths that do not exist."""
    return [f"nothing - - {path}" for path in paths]


def link_lines(paths: Iterable[str]) -> list[str]:
    """Lines of a record for paths, and all folders above them, as symbolic links or none, since
    argument lists have the targets of links.
    """
    found: set[str] = set()
    for path in paths:
        while path not in ("", os.sep) and path not in found:
            found.add(path)
            path = os.path.dirname(path)
    return [f"link - {link_digest(path)} {path}" for path in sorted(found)]


def process_lines(names: Iterable[str]) -> list[str]:
    """Lines of a record for the state of the process: variables, Python and folder."""
    found = [f"variable - - {variable(name)}" for name in names]
    return [*found, f"python - - {sys.version!a}", f"root - - {os.getcwd()!a}"]


def write_step(folder: Path, name: str, made: Made, graph: Iterable[str], known: Digests) -> None:
    """Write the record of a step, without files that are in the record of the graph."""
    files = files_of(made)
    own = {path: files[path] for path in sorted(files.keys() - set(graph))}
    write_record(str(folder / f"{name}.record"), file_lines(own, known))


def paths_of(record: Path) -> set[str]:
    """Files in a record. Raises BLD102 for a damaged one."""
    try:
        lines = [line.split(" ", 3) for line in read_record(str(record))]
        return {path for kind, _, _, path in lines if kind == "file"}
    except (OSError, ValueError) as error:
        raise damaged(record) from error


def damaged(record: Path) -> ToolchainError:
    """Error BLD102 for a record that cannot be read."""
    fix = "delete it and run ninja again, which has SCons write it anew"
    return ToolchainError.of("BLD102", "is damaged", where=str(record), fix=fix)

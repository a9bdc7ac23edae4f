"""Reads the package of a model. It may have come from anywhere: nothing in it is trusted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.package.description import (
    DESCRIPTION,
    Package,
    SeveralModelsError,
    WrongDescriptionError,
    read_description,
)
from opsmith.package.sources import LISTING, PRIVATE
from opsmith.reading import UnreadableError, read_bytes

MOST_BYTES = 1 << 30  # of a file
REPAIR = "make it again: scons board=… model=… library"
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


@dataclass(frozen=True)
class Delivered:
    """A package, and its files by their paths in it."""

    package: Package
    files: Mapping[str, bytes]


def read_package(folder: Path) -> Delivered:
    """The package in a folder, which is as `library` made it. Raises BLD052 and BLD053."""
    try:
        listed = read_bytes(folder / LISTING, MOST_BYTES).decode("utf-8")
    except (UnreadableError, UnicodeDecodeError) as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
        what = f"this is no package of `library`, which has a {LISTING}: {reason}"
        fix = "name the folder library/ that `scons board=… model=… library` makes"
        raise ToolchainError.of("BLD052", what, where=str(folder), fix=fix) from error
    files: dict[str, bytes] = {}
    raise_all(_read(folder, listed, files))
    package = _package(folder, files)
    missing = {f"{PRIVATE}/{each}" for each in (*package.sources, *package.data)} - files.keys()
    raise_all(_wrong(folder, path, "is not there") for path in sorted(missing))
    return Delivered(package, files)


def _read(folder: Path, listed: str, files: dict[str, bytes]) -> Iterator[Problem]:
    """Read the files that are listed; what is wrong with them."""
    for line in listed.splitlines():
        match = _LINE.fullmatch(line)
        if match is None or not _is_inside(match[2], folder):
            yield _wrong(folder, LISTING, "names something other than files of the package")
            return
        sha256, path = match.groups()
        try:
            files[path] = read_bytes(folder / path, MOST_BYTES)
        except UnreadableError as error:
            yield _wrong(folder, path, f"cannot be read: {error}")
        else:
            if hashlib.sha256(files[path]).hexdigest() != sha256:
                yield _wrong(folder, path, f"is not what {LISTING} says: it was edited or damaged")


def _is_inside(path: str, folder: Path) -> bool:
    """Whether this is a path in the folder that leads nowhere else, not even by links."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or not path.isprintable():
        return False
    return (folder / path).resolve().is_relative_to(folder.resolve())


def _package(folder: Path, files: Mapping[str, bytes]) -> Package:
    try:
        return read_description(files[DESCRIPTION].decode("utf-8"))
    except KeyError:
        raise ToolchainError(_wrong(folder, DESCRIPTION, "is not there")) from None
    except SeveralModelsError as error:
        what = f"exports are of one model, and this package is of several: {error}"
        fix = "make a package of each: one program may be linked with all of them"
        raise ToolchainError.of("BLD053", what, where=str(folder), fix=fix) from None
    except UnicodeDecodeError as error:
        raise ToolchainError(_wrong(folder, DESCRIPTION, "is not UTF-8")) from error
    except WrongDescriptionError as error:
        raise ToolchainError(_wrong(folder, DESCRIPTION, f"cannot be read: {error}")) from error


def _wrong(folder: Path, path: str, what: str) -> Problem:
    return Problem("BLD052", f"the package's {path} {what}", str(folder), REPAIR)

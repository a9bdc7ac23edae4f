"""Reads the package of a model, which may come from anywhere: nothing in it is trusted."""

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
from opsmith.package.sources import CODE, LISTING, PRIVATE
from opsmith.reading import TooLargeError, UnreadableError, is_inside, read_bytes

MOST_BYTES = 192 << 20  # of all files; an export of these takes less than half a gigabyte
_MOST_CODE = 32 << 20  # of all text of an export
_MOST_LISTED = 1 << 20  # of the listing, and of the description
REPAIR = "make it again: scons board=… model=… library"
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


@dataclass(frozen=True)
class Delivered:
    """A package, and its files by their paths in it."""

    folder: Path
    package: Package
    files: Mapping[str, bytes]

    def wrong(self, path: str, what: str) -> Problem:
        """Problem BLD052 of a file that differs from those that `library` makes."""
        return _wrong(self.folder, path, what)


def read_package(folder: Path) -> Delivered:
    """Package in a folder, if it is as `library` makes them. Raises BLD052, BLD053 and BLD110."""
    try:
        listed = read_bytes(folder / LISTING, _MOST_LISTED).decode("utf-8")
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
    return Delivered(folder, package, files)


def _read(folder: Path, listed: str, files: dict[str, bytes]) -> Iterator[Problem]:
    """Read the listed files; yields their problems. Raises BLD110 for too many bytes."""
    left = {True: _MOST_CODE, False: MOST_BYTES}
    for line in listed.splitlines():
        match = _LINE.fullmatch(line)
        if match is None or not _is_inside(match[2], folder):
            yield _wrong(folder, LISTING, "names something other than files of the package")
            return
        sha256, path = match.groups()
        code = path.endswith(CODE)
        try:
            files[path] = read_bytes(folder / path, left[code])
        except TooLargeError as error:
            raise _too_large(folder, code=code) from error
        except UnreadableError as error:
            yield _wrong(folder, path, f"cannot be read: {error}")
        else:
            left[code] -= len(files[path])
            if hashlib.sha256(files[path]).hexdigest() != sha256:
                yield _wrong(folder, path, f"is not what {LISTING} says: it was edited or damaged")


def _is_inside(path: str, folder: Path) -> bool:
    """True if a path stays in the folder, with links followed."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or not path.isprintable():
        return False
    return str(parts) == path and is_inside(folder / path, folder)


def _package(folder: Path, files: Mapping[str, bytes]) -> Package:
    try:
        if len(files[DESCRIPTION]) > _MOST_LISTED:
            raise WrongDescriptionError(f"it has more than {_MOST_LISTED:,} bytes")
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


def _too_large(folder: Path, *, code: bool) -> ToolchainError:
    what, most = ("sources and headers", _MOST_CODE) if code else ("files", MOST_BYTES)
    said = f"the package's {what} have more than {most:,} bytes, which no export takes"
    fix = "use the package as it is: with CMake or pkg-config, as its README.md says"
    return ToolchainError.of("BLD110", said, where=str(folder), fix=fix)


def _wrong(folder: Path, path: str, what: str) -> Problem:
    return Problem("BLD052", f"the package's {path} {what}", str(folder), REPAIR)

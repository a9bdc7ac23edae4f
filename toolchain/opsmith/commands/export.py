"""`export`: lays out the package that `library` makes as a project or library of another tool."""

import argparse
import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError, cannot_write, did_you_mean
from opsmith.export.kind import kinds
from opsmith.export.layout import laid_out
from opsmith.export.reading import read_package
from opsmith.export.sources import Content

EMPTY = "name a new or empty folder; of an earlier export, remove that first"


def main(arguments: list[str]) -> int:
    """Make the folder, all or nothing; returns 0. Raises BLD002, BLD050 to BLD053 and BLD110."""
    given = _parser().parse_args(arguments)
    kind = kinds().get(given.kind)
    if kind is None:
        what = f"there is no kind of exports '{given.kind}'{did_you_mean(given.kind, kinds())}"
        fix = f"one of: {', '.join(kinds())}"
        raise ToolchainError.of("BLD050", what, where="command line", fix=fix)
    folder: Path = given.folder
    _check_empty(folder, given.package)
    files = laid_out(read_package(given.package), kind)
    try:
        _make(folder.resolve(), files)
    except OSError as error:
        raise cannot_write(folder, error) from error
    print(f"{folder}: {kind.title}; README.md says how a project takes it")
    return 0


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {kind.name:12} {kind.title}" for kind in kinds().values())
    parser = Parser(
        prog="opsmith export",
        description=__doc__,
        epilog=f"kinds:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", metavar="KIND", help="for which tool; see below")
    parser.add_argument("package", type=Path, metavar="PACKAGE",
                        help="the folder library/ of `scons board=… model=… library`")  # fmt: skip
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    return parser


def _check_empty(folder: Path, package: Path) -> None:
    """Raise BLD051 unless the folder may become the export."""
    what = ""
    try:
        if os.path.lexists(folder) and not folder.is_dir():
            what = "a file has this name"
        elif folder.is_dir() and any(folder.iterdir()):
            what = "the folder is not empty: nothing in it was changed"
        elif folder.resolve().is_relative_to(package.resolve()):
            what = "the folder is part of the package, in which the next build removes it"
    except OSError as error:
        raise cannot_write(folder, error) from error
    if what:
        raise ToolchainError.of("BLD051", what, where=str(folder), fix=EMPTY)


def _make(folder: Path, files: Mapping[str, Content]) -> None:
    """Write the files into the folder, all of them or none."""
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    moved: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".opsmith-export-", dir=folder) as new:
            for path, content in files.items():
                (Path(new) / path).parent.mkdir(parents=True, exist_ok=True)
                with (Path(new) / path).open("wb") as file:
                    file.writelines(content)
            for entry in sorted(Path(new).iterdir()):
                moved.append(entry.rename(folder / entry.name))
    except BaseException:
        for entry in moved:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        _remove_empty(made)
        raise


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove empty folders, inner ones first."""
    for folder in folders:
        with contextlib.suppress(OSError):  # it may be missing, or have files of others
            folder.rmdir()

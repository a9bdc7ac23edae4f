"""`index`: writes Conan recipes of all ops and runtimes, for use as a Conan remote."""

import fcntl
import hashlib
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError, cannot_write
from opsmith.package.index import recipes
from opsmith.reading import UnreadableError, is_inside, read_text
from opsmith.writing import replace_files

_MOST_LISTED = 16 << 20  # bytes
LISTING = "SHA256SUMS"  # lists the files of the index, which another run may overwrite


def main(arguments: list[str]) -> int:
    """Write the index; returns 0. Raises BLD002, BLD085, OPS0xx and KRN0xx."""
    parser = Parser(prog="opsmith index", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the index goes")
    parser.add_argument("--ops", action="append", default=[], help="a further folder of op folders")
    parser.add_argument("--backends", action="append", default=[], help="likewise of backends")
    given = parser.parse_args(arguments)
    options = BuildOptions(ops=tuple(given.ops), backends=tuple(given.backends))
    roots = [Path(each) for each in options.backend_roots[1:]]
    _listed(given.folder)  # fails early, before work that takes seconds
    ops = discover([Path(each) for each in options.op_roots], roots).by_name
    folders = [ops[name] for name in sorted(ops)]
    files = recipes(folders, backend_folders(roots), version("opsmith"))
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()]
    try:
        with _alone(given.folder):
            for name in _listed(given.folder) - set(files):
                (given.folder / name).unlink(missing_ok=True)
            replace_files(given.folder, {**files, LISTING: "".join(lines)})
    except OSError as error:
        raise cannot_write(given.folder, error) from error
    print(f"{given.folder}: {len({name.split('/')[1] for name in files})} packages")
    add = ["conan", "remote", "add", "opsmith", str(given.folder.absolute())]
    print(f"next: {shlex.join([*add, '--type', 'local-recipes-index'])}")
    return 0


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Context that makes and locks a folder; other runs that write to it wait."""
    folder.mkdir(parents=True, exist_ok=True)
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _listed(folder: Path) -> set[str]:
    """Names of files that an earlier run wrote into the folder. Raises BLD085 for other content."""
    try:
        lines = read_text(folder / LISTING, _MOST_LISTED).splitlines()
    except UnreadableError:
        lines = [] if not folder.exists() or _is_empty(folder) else [""]
    names = {line.partition("  ")[2] for line in lines}
    if not all(_is_below(name) and is_inside(folder / name, folder) for name in names):
        what, fix = "holds something other than an index", "name a folder that is empty, or new"
        raise ToolchainError.of("BLD085", what, where=str(folder), fix=fix)
    return names


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _is_below(name: str) -> bool:
    return name.startswith("recipes/") and ".." not in name.split("/")

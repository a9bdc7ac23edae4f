"""`init`: writes a project: SConstruct, an op, its model, a board and an application of its own."""

import importlib.util
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.command_line import Parser
from opsmith.commands.new_op_describe import Description, describe
from opsmith.errors import Problem, ToolchainError, cannot_write, raise_all
from opsmith.home import HOME, PACKAGE, with_our_pip
from opsmith.op.index import index
from opsmith.scaffold.write import write_folders
from opsmith.tflite.one_node import custom_node
from opsmith.tflite.writer import ModelWriter

TEMPLATE = PACKAGE / "scaffold" / "project"
HIDDEN = {"gitignore": ".gitignore"}  # template's names without the dot
HIDING = ("opsmith.py", "opsmith/__init__.py")  # beside an SConstruct they would be imported first
OP = Description("my_op", ("x:i8,f32",), ("y:i8,f32",), template="unary")
MODEL = "my_model.tflite"
BOARD = "stm32f405"  # the board that is copied to the project


def main(arguments: list[str]) -> int:
    """Write the files and print the next commands; returns 0. Raises BLD002 and BLD045."""
    parser = Parser(prog="opsmith init", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="DIR")
    folder: Path = parser.parse_args(arguments).folder
    if os.path.lexists(folder) and not folder.is_dir():
        raise ToolchainError(_taken(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".opsmith-init-", dir=folder) as new:
            _write(Path(new))
            _move(Path(new), folder)
    except OSError as error:
        raise cannot_write(folder, error) from error
    print(_next(folder))
    return 0


def _write(folder: Path) -> None:
    """Write the project into an empty folder."""
    for path in sorted(TEMPLATE.rglob("*")):
        place = path.relative_to(TEMPLATE)
        if path.is_file() and "__pycache__" not in place.parts:
            target = folder / place.with_name(HIDDEN.get(path.name, path.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    spec = describe(OP, index([]), "opsmith init")
    write_folders([spec], folder / "my_ops", "opsmith init")
    writer = ModelWriter()
    custom_node("MyOp", {"x": ((1, 8), "int8", 0.05, 3)}, {"y": ((1, 8), "int8", 0.01, -4)})(writer)
    (folder / MODEL).write_bytes(writer.bytes())
    board = folder / "my_boards" / "my_board"
    board.mkdir(parents=True)
    lines = (HOME / "boards" / BOARD / "board.toml").read_text(encoding="utf-8").splitlines(True)
    own = (line for line in lines if not line.startswith(("#", "title", "aliases")))
    says = f'# A copy of {BOARD}, which QEMU emulates: make it yours.\ntitle = "My board"\n'
    (board / "board.toml").write_text(says + "".join(own), encoding="utf-8")
    load_board(board.name, [board.parent])


def _move(new: Path, folder: Path) -> None:
    """Move all files of a folder into another one, or none. Raises BLD045."""
    files = [path.relative_to(new) for path in sorted(new.rglob("*")) if path.is_file()]
    raise_all(_in_the_way(files, folder))
    made: list[Path] = []
    try:
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            with (folder / file).open("xb") as target:  # an error if the file exists by now
                made.append(folder / file)
                target.write((new / file).read_bytes())
    except BaseException:
        for path in made:
            path.unlink()
        raise


def _in_the_way(files: list[Path], folder: Path) -> Iterator[Problem]:
    """Problems of paths to write that exist, and of files that would hide the package opsmith."""
    places = dict.fromkeys(part for file in files for part in (file, *file.parents))
    for place in places:
        there, is_folder = folder / place, place not in files
        if os.path.lexists(there) and not (is_folder and there.is_dir()):
            yield _taken(there)
    for name in HIDING:
        if os.path.lexists(folder / name):
            what = "Python would find this in place of the package opsmith, as would the SConstruct"
            fix = "rename it, or name another folder: opsmith init DIR"
            yield Problem("BLD045", what, str(folder / name), fix)


def _taken(place: Path) -> Problem:
    fix = "move it away, or name an empty folder: opsmith init DIR"
    kind = "a file" if place.is_file() else "something"
    return Problem("BLD045", f"there is {kind} of this name already", str(place), fix)


def _next(folder: Path) -> str:
    """Message that lists the written files and further commands, each of which works unchanged."""
    written = (
        f"{folder}: SConstruct, .gitignore, app, my_boards/my_board, my_ops/{OP.name}, {MODEL}"
    )
    go = "" if folder == Path() else f"cd {shlex.quote(str(folder.absolute()))} && "
    firmware = f"board=my_board model={MODEL}"
    commands = [f"my_ops/{OP.name}/test", f"{firmware} run", f"{firmware} app=app"]
    if importlib.util.find_spec("pytest") is None:
        install = with_our_pip("pip install 'opsmith[test]'")
        written += f"\ntests of ops need pytest: {install}"
        commands[0] = f"my_ops/{OP.name} board=my_board"
    return f"{written}\nnext: " + "\n      ".join(f"{go}{_scons()} {each}" for each in commands)


def _scons() -> str:
    """Command by which a shell calls the SCons of this Python."""
    mine, first = Path(sys.executable).with_name("scons"), shutil.which("scons")
    if not mine.exists():
        return f"{shlex.quote(sys.executable)} -m SCons"
    return "scons" if first and mine.samefile(first) else shlex.quote(str(mine))

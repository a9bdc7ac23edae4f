"""`new-board`: writes the folder of a board from the number of its MCU, the name of a board that an
installed pyOCD knows, or a CMSIS file.

Keys that these sources do not determine are marked in board.toml and listed. On a terminal the
command asks for missing facts.
"""

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from string import ascii_lowercase

from opsmith.board.device_file import SUFFIXES, DeviceEntry, read_devices
from opsmith.board.manifest import Board, board_names, load_board, readable_boards
from opsmith.board.nearest import nearest
from opsmith.board.pack_board import BOARD, memories, of_pack
from opsmith.board.platforms import Platforms, platforms
from opsmith.board.pyocd_targets import board_target, installed
from opsmith.board.schema import is_name
from opsmith.board.suggestion import Suggestion
from opsmith.command_line import Parser
from opsmith.commands.where import require_sconstruct
from opsmith.errors import ToolchainError, cannot_write, did_you_mean, shown
from opsmith.home import HOME
from opsmith.modules import load_function
from opsmith.text import escaped

SHIPPED = HOME / "boards"
_SIMILAR = 6  # length of the common prefix of numbers of similar MCUs


def main(arguments: list[str]) -> int:
    """Write the folder; returns 0, or the status of `scons` with --run. Raises BRD025 where no
    family knows the number or the name is taken, and BRD026; with --run BLD003 and BLD120.
    """
    parser = Parser(prog="opsmith new-board", description=__doc__)
    parser.add_argument("name", nargs="?", help="of the board: small letters, digits and _")
    number = (
        "its number, such as STM32F405RGT6, a board that pyOCD knows, or a file: .svd, .pdsc, .pack"
    )
    parser.add_argument("--mcu", help=number)
    parser.add_argument("--device", help="which MCU of the file")
    into = Path("my_boards" if Path("my_boards").is_dir() else "boards")  # as `init` calls it
    help_of_into = "default: my_boards, where there is one, or boards"
    parser.add_argument("--into", type=Path, default=into, help=help_of_into)
    parser.add_argument("--run", metavar="MODEL", help="build it, run it in the nearest emulator")
    parser.add_argument("--platforms", action="append", default=[], type=Path)
    given = parser.parse_args(arguments)
    name = _answer(parser, given.name, "name of the board", "a name")
    folder: Path = given.into / name
    _require_new(name, folder, given.platforms)
    if given.run is not None:
        _require_runnable(given.run)
    mcu = _answer(parser, given.mcu, f"MCU of {name}, such as STM32F405RGT6", "--mcu=")
    device = _device(parser, mcu, given.device)
    mcu = _number(device.name.partition(":")[0])
    family, found = suggested(mcu, platforms(given.platforms), device)
    file = folder / "board.toml"
    try:
        folder.mkdir(parents=True)
        try:
            file.write_text(found.text(_title(mcu), family), encoding="utf-8")
            if not family:
                code = BOARD.format(title=_title(mcu))
                file.with_name("board.cc").write_text(code, encoding="utf-8")
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        board = load_board(name, [given.into], given.platforms)
    except ToolchainError:  # the file has impossible memories
        shutil.rmtree(folder)
        raise
    of = f"family {family}" if family else "of no family: write clock and UART into its board.cc"
    print(escaped(f"{file}: {board.title}, {board.core.name}, {of}"))
    print(f"check in it: {', '.join(found.check)}")
    return _run_next(board, given)


def _answer(parser: Parser, given: str | None, question: str, missing: str) -> str:
    """Argument of the command line, or else an answer from the terminal."""
    if given is not None:
        return given
    if not sys.stdin.isatty():
        parser.error(f"{missing} is missing")
    try:
        return input(f"{question}: ").strip()
    except EOFError:
        parser.error(f"{missing} is missing")


def _require_new(name: str, folder: Path, more: Sequence[Path]) -> None:
    """Raise BRD025 unless a board may have this name and this folder."""
    roots = [SHIPPED, *([folder.parent] if folder.parent.is_dir() else [])]
    if not is_name(name):
        what = f"{shown(name)} is no name of a board"
        fix = "use small letters, digits and _, starting with a letter"
    elif folder.exists():
        what, fix = "there is something of this name already", "move it away, or name another board"
        if (folder / "board.toml").is_file():
            words = shlex.join(_words(name, folder.parent, more))
            what, fix = "this board exists", f"build for it, with {words}; or name another one"
    elif other := board_names(roots).get(name):
        what = f"'{name}' is a name of {other.parent}"
        fix = "name another board: no build takes two of one name"
    else:
        return
    raise ToolchainError.of("BRD025", what, where=escaped(str(folder)), fix=fix)


def _words(name: str, boards: Path, more: Sequence[Path]) -> list[str]:
    """Variables of scons that find a board in the folder `boards`."""
    words = [f"board={name}", f"boards={boards}"]
    return [*words, f"platforms={','.join(map(str, more))}"] if more else words


def _require_runnable(models: str) -> None:
    """Raise BLD120 or BLD003 where --run would find no project or no model."""
    require_sconstruct(Path.cwd())
    for model in models.split(","):
        if not Path(model).exists():
            what, fix = f"--run={escaped(model)} does not exist", "give the path of a model"
            raise ToolchainError.of("BLD003", what, where=escaped(model), fix=fix)


def _device(parser: Parser, mcu: str, chosen: str | None) -> DeviceEntry:
    """MCU of a number, or of a CMSIS file: the only one in it, or the chosen one."""
    if not mcu.endswith(SUFFIXES):
        if chosen is not None:
            parser.error("--device= is an MCU of a file: --mcu=FILE.pdsc")
        return DeviceEntry(mcu)
    found = read_devices(Path(mcu))
    if len(found) == 1 and chosen is None:
        return next(iter(found.values()))
    several = f"{len(found)} MCUs: {', '.join([*found][:20])}{', …' if len(found) > 20 else ''}"
    if chosen is None and sys.stdin.isatty():
        chosen = _answer(parser, None, f"which of its {several}", "--device=")
    if chosen not in found:
        what = f"it has {several}"
        fix = f"name one{did_you_mean(chosen or '', found)}: --device=NAME"
        raise ToolchainError.of("BRD025", what, where=escaped(mcu), fix=fix)
    return found[chosen]


def _number(mcu: str) -> str:
    """Number of an MCU, given as such or by a board's name that pyOCD knows and Opsmith lacks."""
    name = mcu.strip().lower()
    if not is_name(name) or (SHIPPED / name).is_dir() or not installed():
        return mcu
    return board_target(name) or mcu


def suggested(
    mcu: str, known: Platforms, device: DeviceEntry | None = None
) -> tuple[str, Suggestion]:
    """Family that knows an MCU's number, and the board that it suggests with the memories of the
    device's pack; "" and a board that the pack alone describes, if no family does. Raises BRD025.
    """
    device = device or DeviceEntry(mcu)
    stated = memories(device)
    number = mcu.strip().lower()
    if re.fullmatch(r"[a-z0-9_-]{4,40}", number):
        for name, file in known.families().items():
            module = file.with_name("suggest.py")
            if module.is_file():
                found = load_function(module, "suggest", "BRD024")(number, file.parent)
                if isinstance(found, Suggestion):
                    own = ("flash", "ram")  # further memories may need what a family lacks
                    return name, found.with_memories({n: stated[n] for n in own if n in stated})
    if made := of_pack(device, known):
        return "", made
    what = f"no MCU family knows the number {shown(mcu)}"
    if device.processor:
        stated_core = device.processor.get("Dcore", "no core")
        what += f", and its pack states {shown(stated_core)} and {', '.join(stated) or 'no memory'}"
    such = f", such as {like}" if (like := similar(number)) else ""
    fix = f"copy the folder of a board with a similar MCU{such} (`scons boards` lists them)"
    fix += "" if installed() else "; pyOCD, not installed beside opsmith, knows boards by name"
    if is_name(number) and (SHIPPED / number).is_dir():
        what, fix = f"{number} is a board, and shipped", f"build for it, with board={number}"
    raise ToolchainError.of("BRD025", what, where=escaped(f"--mcu={mcu[:60]}"), fix=fix)


def similar(number: str) -> Path | None:
    """The shipped board whose name, part or family shares the longest text with an MCU's number;
    None where all share fewer than six characters. The shared text ends with a digit.
    """
    plain, most = re.sub(r"\W|_", "", number), ("", SHIPPED)
    for file in sorted(SHIPPED.glob("*/board.toml")):
        given = tomllib.loads(file.read_text("utf-8"))
        for name in (file.parent.name, given.get("part", ""), given.get("family", "")):
            part = SequenceMatcher(None, plain, name, autojunk=False).find_longest_match()
            shared = plain[part.a : part.a + part.size].rstrip(ascii_lowercase)  # "stm32l0"
            if len(shared) > len(most[0]):
                most = shared, file.parent
    return most[1] if len(most[0]) >= _SIMILAR else None


def _title(number: str) -> str:
    return re.sub(r"\W", "", number).upper()


def _run_next(board: Board, given: argparse.Namespace) -> int:
    """Print how the board's firmware is built and run, or do it; a board without emulator is
    replaced by the nearest emulated one. Returns the status.
    """
    model = f"model={given.run or 'M.tflite'}"
    words = [*_words(board.name, given.into, given.platforms), model]
    steps = [[*words, "run"]]
    if not (board.run.qemu or board.run.place):
        other = nearest(board, readable_boards([SHIPPED])[0])
        steps = [words] if board.family else []  # else its board.cc is to be written first
        steps += [[f"board={other.name}", model, "run"]] if other else []
        plays = f"the nearest that one plays is {other.name}" if other else "nor one like it"
        print(f"no emulator plays it: {plays}")
    for step in steps:
        print(escaped(f"scons {shlex.join(step)}"), flush=True)
        if given.run is not None:
            done = subprocess.run([sys.executable, "-m", "SCons", "-Q", *step], check=False)
            if done.returncode != 0:
                return done.returncode
    return 0

"""`new-board`: write the folder of a board from the number of its MCU.

What the number does not tell is marked in board.toml and listed.
"""

from __future__ import annotations

import re
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.board.platforms import Platforms, platforms
from opsmith.board.schema import is_name
from opsmith.board.suggestion import Suggestion
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError, shown
from opsmith.modules import load_function
from opsmith.text import escaped


def main(arguments: list[str]) -> int:
    """Write the folder; 0. Raises BRD025 where no family knows the number."""
    parser = Parser(prog="opsmith new-board", description=__doc__)
    parser.add_argument("name", help="of the board: small letters, digits and _")
    parser.add_argument("--mcu", required=True, help="its number, such as STM32F405RGT6")
    parser.add_argument("--into", type=Path, default=Path("boards"), help="default: boards")
    parser.add_argument("--platforms", action="append", default=[], type=Path)
    given = parser.parse_args(arguments)
    folder: Path = given.into / given.name
    if not is_name(given.name) or folder.exists():
        what = f"{shown(given.name)} is no name of a new board"
        fix = "use small letters, digits and _, and a name that no folder has"
        raise ToolchainError.of("BRD025", what, where=str(folder), fix=fix)
    known = platforms(given.platforms)
    family, found = suggested(given.mcu, known)
    folder.mkdir(parents=True)
    file = folder / "board.toml"
    title = re.sub(r"\W", "", given.mcu).upper()
    file.write_text(found.text(title, family), encoding="utf-8")
    board = load_board(given.name, [given.into], given.platforms)
    print(escaped(f"{file}: {board.title}, {board.core.name}, family {family}"))
    print(f"check in it: {', '.join(found.check)}")
    plays = board.run.qemu or board.run.place
    runs = f"run it in {plays}" if plays else "build it"
    model = "model=M.tflite" + (" run" if plays else "")
    print(escaped(f"{runs}: scons board={given.name} boards={given.into} {model}"))
    return 0


def suggested(mcu: str, known: Platforms) -> tuple[str, Suggestion]:
    """The family that knows an MCU's number, and the board that it suggests. Raises BRD025."""
    number = mcu.strip().lower()
    if re.fullmatch(r"[a-z0-9_-]{4,40}", number):
        for name, file in known.families().items():
            module = file.with_name("suggest.py")
            if module.is_file():
                found = load_function(module, "suggest", "BRD024")(number, file.parent)
                if isinstance(found, Suggestion):
                    return name, found
    what = f"no MCU family knows the number {shown(mcu)}"
    fix = "copy the board.toml of a board with a similar MCU (`scons boards` lists them)"
    raise ToolchainError.of("BRD025", what, where=f"--mcu={mcu[:60]}", fix=fix)

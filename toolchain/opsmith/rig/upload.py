"""`upload`: flashes a firmware by the board's flash tool.

The board needs no console, and nothing is compared, unlike in `run`.
"""

from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.manifest import Board
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.option import add_named_flags
from opsmith.rig import serial
from opsmith.rig.build import check_application, load_application
from opsmith.rig.by_folder import parsed
from opsmith.rig.flash import flash
from opsmith.rig.lock import held
from opsmith.text import escaped

OPTIONS = ("port", "probe", "wait")


def main(argv: Sequence[str]) -> int:
    """Flash the firmware of a build folder; returns 0."""
    parser = Parser(prog="opsmith upload", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the built firmware")
    models = "the .tflite it was built from, of each model"
    parser.add_argument("--model", required=True, action="append", type=Path, help=models)
    add_board(parser)
    add_named_flags(parser, BuildOptions, *OPTIONS)
    arguments = parsed(parser, argv)
    board = chosen_board(arguments)
    build = load_application(arguments.build)
    check_application(build, arguments.model, board.name)
    port, probe = attached(board, arguments.port or "")
    with held(lock_names(port, probe), wait=arguments.wait):
        flash(board, build.elf, probe=probe, port=port)
    assert board.flash, "attached() refuses boards without"
    print(escaped(f"uploaded {build.elf} to {board.title} by {board.flash.flasher.name}"))
    return 0


def attached(board: Board, port: str) -> tuple[str, str]:
    """Port and probe of the board that is meant, "" where unknown. Raises RIG067 without a flash
    tool, RIG014 where several boards fit.
    """
    if board.flash is None:
        what = f"board '{board.name}' has no flash tool"
        where, fix = str(board.folder / "board.toml"), "add [flash] with runner and target"
        raise ToolchainError.of("RIG067", what, where=escaped(where), fix=fix)
    if not port and board.console and board.console.usb and _console_is_there(board):
        port = serial.find_port(board)
    probe = board.probe or (serial.probe_at(port, board) if port else "")
    return port, probe or _only_probe(board)


def lock_names(port: str, probe: str) -> list[str]:
    """Names of the locks of a port and a probe."""
    return [*([f"port {port}"] if port else []), *([f"probe {probe}"] if probe else [])]


def _console_is_there(board: Board) -> bool:
    usb = board.console.usb if board.console else None
    return any(each.usb == usb for each in serial.adapters())


def _only_probe(board: Board) -> str:
    """Serial number of the only attached probe with a console that the flasher knows, or "". Raises
    RIG014 where there are several.
    """
    patterns = board.flash.flasher.adapters if board.flash else ()
    probes = {
        each.number
        for each in serial.adapters()
        if any(fnmatch(each.usb, pattern) for pattern in patterns)
    }
    if len(probes) > 1:
        what = f"{len(probes)} probes are attached: {', '.join(sorted(probes))}"
        fix = "name one: probe=SERIAL"
        raise ToolchainError.of("RIG014", escaped(what), where=f"board={board.name}", fix=fix)
    return ""

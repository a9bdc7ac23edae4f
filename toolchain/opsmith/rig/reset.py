"""`reset`: restarts the firmware of a board by its flash tool."""

from collections.abc import Sequence
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.option import add_named_flags
from opsmith.rig.flash import reset
from opsmith.rig.lock import held
from opsmith.rig.upload import OPTIONS, attached, lock_names
from opsmith.text import escaped


def main(argv: Sequence[str]) -> int:
    """Reset a board; returns 0. Raises RIG067 where its flash tool cannot."""
    parser = Parser(prog="opsmith reset", description=__doc__)
    add_board(parser)
    add_named_flags(parser, BuildOptions, *OPTIONS)
    arguments = parser.parse_args(argv)
    board = chosen_board(arguments)
    port, probe = attached(board, arguments.port or "")
    with held(lock_names(port, probe), wait=arguments.wait):
        done = reset(board, Path("firmware.elf"), probe=probe, port=port)
    assert board.flash, "attached() refuses boards without"
    if not done:
        what = f"flasher '{board.flash.flasher.name}' cannot reset a board"
        fix = "press its button, or upload again"
        raise ToolchainError.of("RIG067", what, where=f"board={board.name}", fix=fix)
    print(escaped(f"reset {board.title}"))
    return 0

"""`monitor`: shows a board's output at its serial port, a time before each line, until Ctrl-C.

A port that disappears, as on USB, is opened again when it is back.
"""

import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.manifest import Board
from opsmith.build_options import BuildOptions
from opsmith.child import Ended
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.option import add_named_flags
from opsmith.rig import serial
from opsmith.rig.console import readable
from opsmith.rig.lock import held
from opsmith.text import escaped

_POLL, _AGAIN = 0.2, 0.5  # seconds


def main(argv: Sequence[str]) -> int:
    """Show lines until the time is over, or Ctrl-C; returns 0."""
    parser = Parser(prog="opsmith monitor", description=__doc__)
    add_board(parser)
    add_named_flags(parser, BuildOptions, "port", "probe", "wait", "timeout")
    arguments = parser.parse_args(argv)
    board = chosen_board(arguments)
    if board.console is None:
        what, fix = f"board '{board.name}' has no serial port", "use `run`"
        raise ToolchainError.of("RIG067", what, where=f"board={board.name}", fix=fix)
    port = arguments.port or serial.find_port(board)
    print(escaped(f"{board.title} at {port}, {board.console.baud} baud; Ctrl-C ends"), flush=True)
    end = None if arguments.timeout is None else time.monotonic() + arguments.timeout
    try:
        with held([f"port {port}"], wait=arguments.wait):
            show(board, port, end)
    except KeyboardInterrupt:
        print()
    return 0


def show(board: Board, port: str, end: float | None) -> None:
    """Print lines with their times until `end`; open the port again whenever it is lost."""
    lines, lost = TimedLines(), False
    assert board.console, "a board with a port"
    while end is None or time.monotonic() < end:
        try:
            with serial.attached(port, board.console) as channel:
                if lost:
                    lines.note("the port is back")
                lost = False
                while end is None or time.monotonic() < end:
                    lines.take(channel.receive(_POLL))
        except (Ended, ToolchainError) as error:
            if isinstance(error, ToolchainError) and not lost and not lines.began:
                raise  # the port was never there
            if not lost:
                lines.note("the port is gone; waiting for it")
            lost = True
            time.sleep(_AGAIN)


class TimedLines:
    """Printer of bytes as lines, with the time at which each began."""

    def __init__(self, now: Callable[[], datetime] = datetime.now):
        self.began = False  # True once something was printed or a port was open
        self._now = now
        self._in_line = False

    def take(self, data: bytes) -> None:
        """Print received bytes."""
        self.began = True
        for part in readable(data).splitlines(keepends=True):
            if not self._in_line:
                sys.stdout.write(f"{self._now():%H:%M:%S.%f}"[:-3] + "  ")
            sys.stdout.write(part)
            self._in_line = not part.endswith("\n")
        sys.stdout.flush()

    def note(self, text: str) -> None:
        """Print a line that does not come from the board."""
        start = "\n" if self._in_line else ""
        self._in_line = False
        print(f"{start}{f'{self._now():%H:%M:%S.%f}'[:-3]}  -- {text}", flush=True)

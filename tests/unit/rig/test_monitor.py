"""`monitor` shows lines with their times, and waits for a port that went away."""

import os
import threading
import time
from datetime import datetime
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.errors import ToolchainError
from opsmith.rig.monitor import TimedLines, main, show
from opsmith.testing.checkout import ROOT

BOARD = load_board("nucleo_f446re", [ROOT / "boards"])
NOON = datetime(2026, 1, 2, 12, 0, 0, 123_456)


def test_each_line_has_the_time_at_which_it_began(capsys: pytest.CaptureFixture[str]) -> None:
    lines = TimedLines(lambda: NOON)
    for part in (b"one\r\nt", b"wo\n", b"\x1b[2Jthree"):
        lines.take(part)
    lines.note("gone")
    assert capsys.readouterr().out.splitlines() == [
        "12:00:00.123  one",
        "12:00:00.123  two",
        r"12:00:00.123  \x1b[2Jthree",
        "12:00:00.123  -- gone",
    ]


@pytest.mark.slow
def test_a_port_that_goes_away_is_opened_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A port that goes away is opened again: the port is a link, which later leads to a new
    terminal.
    """
    link, pairs = tmp_path / "port", [os.openpty(), os.openpty()]
    link.symlink_to(os.ttyname(pairs[0][1]))

    def play() -> None:
        time.sleep(0.5)
        os.write(pairs[0][0], b"before\n")
        time.sleep(0.5)
        link.unlink()
        os.close(pairs[0][0])
        os.close(pairs[0][1])
        time.sleep(0.7)
        link.symlink_to(os.ttyname(pairs[1][1]))
        time.sleep(1.0)
        os.write(pairs[1][0], b"after\n")

    player = threading.Thread(target=play)
    player.start()
    show(BOARD, str(link), time.monotonic() + 4)
    player.join()
    texts = [line[14:] for line in capsys.readouterr().out.splitlines()]
    assert texts == [
        "before",
        "-- the port is gone; waiting for it",
        "-- the port is back",
        "after",
    ]
    for end in pairs[1]:
        os.close(end)


def test_a_port_that_was_never_there_is_an_error(tmp_path: Path) -> None:
    arguments = ["--board=nucleo_f446re", f"--boards={ROOT}/boards", f"--port={tmp_path}/none"]
    with pytest.raises(ToolchainError, match="RIG014"):
        main([*arguments, "--timeout=1"])

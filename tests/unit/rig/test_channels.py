"""Native programs, serial ports and flash tools that misbehave end in one coded error each."""

import logging
import os
import time
import tty
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from opsmith.board.cores import CORES
from opsmith.board.manifest import Board, Console, load_board
from opsmith.child import Ended, finished
from opsmith.errors import ToolchainError
from opsmith.rig.flash import flash
from opsmith.rig.line import encode
from opsmith.rig.process import hosted
from opsmith.rig.protocol import Patience, Session
from opsmith.rig.rig import open_rig
from opsmith.rig.serial import attached
from tests.refusals import refusal
from tests.unit.rig.peer import SHA, Peer

BOARDS = Path(__file__).resolve().parents[3] / "boards"
HOST = CORES["host"].architecture


def script(folder: Path, name: str, text: str) -> Path:
    """Path of a shell script with the given text."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("text", "code"), [
    ("exec sleep 100", "RIG005"),
    ("exec yes", "RIG006"),
    ("exec cat /dev/zero", "RIG006"),
    ("exec yes >&2", "RIG011"),
    ("exit 0", "RIG011"),
    ("exec >&-; sleep 100", "RIG011"),
    ("printf '\\033[2J'; exit 1", "RIG011"),
])  # fmt: skip
def test_a_program_that_does_not_speak_is_reported(tmp_path: Path, text: str, code: str) -> None:
    begin = time.monotonic()
    with (
        pytest.raises(ToolchainError) as caught,
        hosted(script(tmp_path, "firmware.elf", text), HOST) as channel,
    ):
        Session(channel, Patience(boot=0.5 if code == "RIG005" else 20.0))
    assert caught.value.problems[0].code.startswith(code)
    assert time.monotonic() - begin < 30


@pytest.mark.slow
def test_a_program_that_knows_what_is_wrong_is_quoted(tmp_path: Path) -> None:
    text = "printf 'error [GPU001] no driver\\n  fix: install one\\n' >&2; exit 69"
    with (
        pytest.raises(ToolchainError) as caught,
        hosted(script(tmp_path, "firmware.elf", text), HOST) as channel,
    ):
        Session(channel, Patience(boot=20.0))
    (found,) = caught.value.problems
    assert (found.code, found.fix) == ("RIG011", "install one")
    assert found.what.endswith("it ended with status 69: error [GPU001] no driver")


@pytest.mark.slow
def test_what_is_no_program_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(ToolchainError, match="RIG004"), hosted(path, HOST):
            pass


@pytest.mark.slow
def test_an_error_while_a_program_runs_is_not_one_of_its_start(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), hosted(script(tmp_path, "x", "exec sleep 9"), HOST):
        raise FileNotFoundError


@pytest.mark.parametrize(
    "port",
    [
        "file", "folder", "fifo", "none", "x" * 5000, "a\0b", "\x1b[2J", "/dev/null", "",
        "nonsense://", "socket://:99999", "alt://x?class=No", "hwgrep://[", "loop://?logging=no",
    ],
)  # fmt: skip
def test_a_port_that_is_none_is_reported(tmp_path: Path, port: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    port = port if "/" in port or not port else f"{tmp_path}/{port}"
    with pytest.raises(ToolchainError, match="RIG014") as caught, attached(port, Console(9, None)):
        pass
    assert str(caught.value).replace("\n", "").isprintable()


def serve(peer: Peer, port: int) -> None:
    """Serve the peer at the far end of a port, until the port closes."""
    with suppress(OSError):
        while data := os.read(port, 4096):
            peer.send(data)
            while answer := peer.receive(0):
                os.write(port, answer)


@pytest.mark.slow
def test_a_conversation_over_a_serial_port() -> None:
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    peer = Peer()
    thread = Thread(target=serve, args=(peer, ours), daemon=True)
    thread.start()
    try:
        with attached(os.ttyname(theirs), Console(115200, None)) as channel:
            session = Session(channel)
            session.write(0, bytes(10))
            session.write(1, bytes(3))
            session.invoke()
            assert session.read(0, 10) == b"\xff" * 10
            peer.says_on = {"stack": encode(f"opsmith 2 0 {SHA} {SHA} 2 1 4 1000")}
            with pytest.raises(ToolchainError, match="RIG040: .* while its stack was measured"):
                session.stack()
    finally:
        os.close(theirs)
        thread.join(timeout=10)
        os.close(ours)


@pytest.mark.slow
def test_a_port_that_takes_no_bytes_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opsmith.rig.serial._WRITE_SECONDS", 0.2)
    ours, theirs = os.openpty()
    try:
        path = os.ttyname(theirs)
        with (
            attached(path, Console(115200, None)) as channel,
            pytest.raises(Ended, match="timeout"),
        ):
            channel.send(bytes(1 << 20))
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Board:
    """Board that is flashed by a stand-in for openocd in a folder."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    return load_board("nucleo_l4r5zi", [BOARDS])


@pytest.mark.slow
@pytest.mark.parametrize(("text", "what"), [
    ("exec yes", "it printed more than 16 MiB"),
    ("exec sleep 100", "no end within 0.5 s"),
    ("exec >&- 2>&-; sleep 100", "no end within 0.5 s"),
    ("kill -9 $$", "it was ended by SIGKILL"),
    ("printf '\\033[2Jno probe\\377'; exit 1", r"status 1: \x1b[2Jno probe\xff"),
])  # fmt: skip
def test_a_flash_tool_that_misbehaves_is_reported(
    tmp_path: Path, board: Board, text: str, what: str
) -> None:
    script(tmp_path, "openocd", text)
    caught = refusal(flash, board, tmp_path / "firmware.elf", 20 if "yes" in text else 0.5)
    (problem,) = caught.problems
    assert problem.code == "RIG015"
    assert what in problem.what
    assert len(problem.what) < 3000


@pytest.mark.slow
def test_a_flash_tool_that_is_no_program_is_reported(tmp_path: Path, board: Board) -> None:
    (tmp_path / "openocd").write_bytes(b"\x7fELF")
    (tmp_path / "openocd").chmod(0o755)
    with pytest.raises(ToolchainError, match="RIG015: flashing failed, it ended with status 127"):
        flash(board, tmp_path / "firmware.elf")


def test_a_program_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    for name in ("opsmith-none", "./none", f"{tmp_path}/none"):
        with pytest.raises(Ended, match="it cannot be started: there is no such program"):
            finished([name], 5, folder=tmp_path)


def test_a_thread_starts_programs_whatever_locks_others_hold() -> None:
    """A thread starts programs while others hold locks; `preexec_fn` would take that of `logging`
    at the fork.
    """
    with ThreadPoolExecutor(1) as pool, logging._lock:  # type: ignore[attr-defined]
        assert pool.submit(finished, ["true"], 5).result(timeout=20).status == 0


@pytest.mark.slow
def test_a_flash_tool_that_leaves_a_daemon_is_not_waited_for(tmp_path: Path) -> None:
    begin = time.monotonic()
    done = finished([str(script(tmp_path, "tool", "echo done; sleep 100 &"))], 50)
    assert (done.status, done.said) == (0, "done")
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf"), 1e300])
def test_a_timeout_that_is_none_is_reported(tmp_path: Path, seconds: float) -> None:
    host = load_board("host", [BOARDS])
    with (
        pytest.raises(ToolchainError, match="RIG044"),
        open_rig(tmp_path, host, invoke_timeout=seconds),
    ):
        pass

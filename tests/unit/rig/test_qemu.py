"""Whatever runs in QEMU's place is reported by a code in time, and nothing outlives us."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from opsmith.board.platforms import platforms
from opsmith.errors import ToolchainError
from opsmith.rig.qemu import emulated, terminal

ROOT = Path(__file__).resolve().parents[3]
ARM = platforms().architecture("arm", Path())
PROGRAM = "qemu-system-arm"
HELLO = """echo '{"QMP": {}}'; echo '{"return": {}}'; """
DEVICES = """echo '{"return": [{"label": "console-base", "filename": "%s"}]}'; sleep 100"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put a shell script in QEMU's place, which writes its process id into a file first."""

    def make(script: str) -> Path:
        program = tmp_path / PROGRAM
        program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
        return tmp_path / "pid"

    return make


def error(seconds: float) -> tuple[str, str]:
    """Code and text of the error that is raised at the start."""
    begin = time.monotonic()
    with (
        pytest.raises(ToolchainError) as caught,
        emulated(ARM, Path("x.elf"), "none", seconds=seconds),
    ):
        pass
    assert time.monotonic() - begin < seconds + 10
    (problem,) = caught.value.problems
    assert str(caught.value).replace("\n", "").isprintable()
    return problem.code, problem.what


def gone(pid: Path) -> bool:
    """Whether a process has ended; waits for it a moment."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        status = Path(f"/proc/{pid.read_text().strip()}/stat")
        if not status.exists() or ") Z" in status.read_text():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.slow
@pytest.mark.parametrize(("script", "code", "what"), [
    ("exit 3", "RIG004", "it ended with status 3"),
    ("printf 'no \\033[2J'>&2; exit 1", "RIG004", r"status 1: no \x1b[2J"),
    ("kill -9 $$", "RIG004", "ended by SIGKILL"),
    ("kill -40 $$", "RIG004", "ended by signal 40"),
    ("exec sleep 100", "RIG004", "no answer within 0.3 s"),
    ("trap '' TERM; while :; do sleep 1; done", "RIG004", "no answer within 0.3 s"),
    ("exec yes", "RIG042", "more than 1,048,576 bytes"),
    ("exec tr '\\0' x < /dev/zero", "RIG042", "more than 1,048,576 bytes"),
    ("exec yes '{}'", "RIG042", "more than 1,048,576 bytes"),
    ("exec yes >&2", "RIG004", "it printed more than 16 MiB"),
    ("echo '{\"QMP\"'; sleep 100", "RIG042", '{"QMP"'),
    ('echo \'{"error": "no"}\'; sleep 100', "RIG004", "no"),
    (HELLO + "echo '{\"return\": 5}'; sleep 100", "RIG042", "no pty"),
    (HELLO + DEVICES % "tcp:1", "RIG042", "no pty"),
    (HELLO + DEVICES % "pty:/dev/null", "RIG043", "Inappropriate ioctl"),
    (HELLO + DEVICES % "pty:/etc/passwd", "RIG043", "Inappropriate ioctl"),
    (HELLO + DEVICES % "pty:/dev/pts/99999", "RIG043", "No such file"),
    (HELLO + DEVICES % "pty:", "RIG043", "No such file"),
])  # fmt: skip
def test_what_is_no_qemu_is_reported(
    fake: Callable[[str], Path], script: str, code: str, what: str
) -> None:
    pid = fake(script)
    found, said = error(0.3 if "no answer" in what else 20.0)
    assert found == code
    assert what in said
    assert gone(pid)


@pytest.mark.slow
def test_a_machine_that_qemu_lacks_is_the_boards_mistake(fake: Callable[[str], Path]) -> None:
    fake(f"echo '{PROGRAM}: unsupported machine type' >&2; exit 1")
    with (
        pytest.raises(ToolchainError, match="RIG004") as caught,
        emulated(ARM, Path("x.elf"), "none", seconds=20),
    ):
        pass
    assert caught.value.problems[0].fix.startswith("correct run.qemu.machine of board.toml")


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"#!/no/such/program\n"])
def test_a_program_that_cannot_be_started_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    (tmp_path / PROGRAM).write_bytes(content)
    (tmp_path / PROGRAM).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    assert error(20.0)[0] == "RIG004"


@pytest.mark.slow
def test_what_qemu_started_ends_with_it(fake: Callable[[str], Path], tmp_path: Path) -> None:
    refusal = """echo '{"error": "no"}'"""
    fake(f"sleep 1000 & echo $! > {tmp_path}/grandchild; {refusal}; wait")
    assert error(20.0)[0] == "RIG004"
    assert gone(tmp_path / "grandchild")


WAITS = """
from pathlib import Path
from opsmith.board.platforms import platforms
from opsmith.rig.qemu import emulated
arm = platforms().architecture("arm", Path())
with emulated(arm, Path("x.elf"), "none"): pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_qemu_outlives_us(fake: Callable[[str], Path], number: signal.Signals) -> None:
    pid = fake("exec sleep 1000")
    ours = subprocess.Popen(
        [sys.executable, "-c", WAITS], cwd=ROOT, stderr=subprocess.DEVNULL, env=os.environ
    )
    deadline = time.monotonic() + 30
    while not (pid.is_file() and pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    ours.send_signal(number)
    assert ours.wait(timeout=30) != 0
    assert gone(pid)


@pytest.mark.parametrize("kind", ["file", "folder", "fifo", "none", "a\0b", "x" * 5000])
def test_what_is_no_terminal_is_reported(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_bytes(b"untouched")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ToolchainError, match="RIG043"), terminal(f"{tmp_path}/{kind}"):
        pass
    assert len(os.listdir("/proc/self/fd")) == before
    assert (tmp_path / "file").read_bytes() == b"untouched"


def test_a_terminal_without_permission_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:  # root may open anything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(ToolchainError, match="RIG043.*Permission denied"), terminal("/dev/pts/0"):
        pass


LOCKS_UP = "echo 'qemu: fatal: Lockup' >&2; kill -6 $$"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("semihosting", "end", "starts"),
    [(True, "exit 3", True), (False, "exit 3", False), (False, LOCKS_UP, True)],
)
def test_a_program_may_end_before_qemu_has_answered(
    fake: Callable[[str], Path], semihosting: bool, end: str, starts: bool
) -> None:
    """A program may end before QEMU has answered, under semihosting or where it locks up."""
    ours, theirs = os.openpty()
    started = DEVICES.partition(";")[0] % f"pty:{os.ttyname(theirs)}"
    done = """echo '{"return": {}}'"""
    hello = """echo '{"QMP": {}}'"""
    fake("; read a; ".join([hello, done, started, done, end]))  # each after our command
    options = ("-semihosting-config", "enable=on") if semihosting else ()
    try:
        with emulated(ARM, Path("x.elf"), "none", options, seconds=20) as channel:
            assert starts
            assert channel.title == "QEMU none"
    except ToolchainError as error:
        assert not starts
        assert "RIG004: QEMU does not start: it ended with status 3" in str(error)
    finally:
        os.close(ours)
        os.close(theirs)

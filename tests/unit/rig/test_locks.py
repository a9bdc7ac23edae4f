"""One program at a time has a port; the next waits its turn, and hears who has it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.rig import lock
from opsmith.rig.lock import held, holder, lock_file

HOLD = """
import sys, time
from pathlib import Path
from opsmith.rig import lock
lock.FOLDERS = (Path(sys.argv[1]),)
with lock.held(["port x"]):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(lock, "FOLDERS", (tmp_path,))
    return tmp_path


@pytest.fixture
def other(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Second program that holds port x for half a second."""
    environment = os.environ | {"PYTHONPATH": "toolchain"}
    command = [sys.executable, "-c", HOLD, str(folder), "0.5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_port_in_use_is_reported_with_its_holder(other: subprocess.Popen[str]) -> None:
    with pytest.raises(ToolchainError) as caught, held(["port x"]):
        pass
    (problem,) = caught.value.problems
    assert problem.code == "RIG048"
    assert f"process {other.pid} since " in problem.what
    assert "wait=SECONDS" in problem.fix


@pytest.mark.slow
def test_a_port_in_use_is_waited_for(
    other: subprocess.Popen[str], capfd: pytest.CaptureFixture[str]
) -> None:
    with held(["probe 1", "port x"], wait=20.0):
        assert other.wait(5) == 0
        assert f"process {os.getpid()}" in holder("port x")
    assert capfd.readouterr().err.count("waiting: port x is in use by") == 1


def test_a_lock_ends_with_its_holder(other: subprocess.Popen[str]) -> None:
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert holder("port x") == ""
    with held(["port x"]):
        pass


def test_waiting_ends(other: subprocess.Popen[str]) -> None:
    begin = time.monotonic()
    with pytest.raises(ToolchainError, match="RIG048"), held(["port x"], wait=0.2):
        pass
    assert time.monotonic() - begin < 60


def test_what_was_held_before_an_error_is_let_go(other: subprocess.Popen[str]) -> None:
    with pytest.raises(ToolchainError), held(["port a", "port x"]):
        pass
    assert holder("port a") == ""


def test_locks_leave_no_files(folder: Path) -> None:
    with held(["port /dev/ttyACM0", "probe 0671FF"]):
        assert len(list(folder.iterdir())) == 2
    assert not list(folder.iterdir())


def test_a_file_that_a_holder_removed_is_no_lock(folder: Path) -> None:
    stale = lock._tried(lock_file("port x"))
    assert stale is not None
    lock_file("port x").unlink()
    with held(["port x"]):
        assert holder("port x")
    os.close(stale)


def test_a_link_in_place_of_a_lock_is_reported(folder: Path) -> None:
    lock_file("port x").symlink_to(folder / "elsewhere")
    with pytest.raises(ToolchainError, match="RIG048"), held(["port x"]):
        pass
    assert not (folder / "elsewhere").exists()


def test_a_lock_that_its_holder_removes_while_it_is_opened_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = lock._opened

    def removed(file: Path) -> int:
        monkeypatch.setattr(lock, "_opened", opened)
        descriptor = opened(file)
        file.unlink()
        return descriptor

    monkeypatch.setattr(lock, "_opened", removed)
    with held(["port x"]):
        assert holder("port x")

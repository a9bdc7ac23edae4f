"""Tests that the output of a user's own application is shown until it ends."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from opsmith.child import Ended
from opsmith.errors import ToolchainError
from opsmith.rig.console import shown
from opsmith.rig.fault import LOCKUP_FIX


class Said:
    """Channel to an application that says given texts, and then ends or falls silent."""

    title = "board"

    def __init__(self, *said: bytes, ends: str = "") -> None:
        self._said: Iterator[bytes] = iter(said)
        self._ends = ends

    def send(self, data: bytes) -> None:
        """Ignore bytes: no host asks the application anything."""

    def receive(self, timeout: float) -> bytes:
        """Next bytes that the application says; raises Ended after the last ones if it ends."""
        for data in self._said:
            return data
        if self._ends:
            raise Ended(self._ends)
        return b""


@pytest.mark.parametrize(("ends", "status"), [
    ("it ended with status 0", 0),
    ("it ended with status 0: warning: nic lan9118.0 has no peer", 0),
    ("it ended with status 3", 3),
    ("it ended with status 255: warning", 255),
    ("it was ended by SIGSEGV", 1),
])  # fmt: skip
def test_it_ends_as_the_application_does(
    ends: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(Said(b"one\r\n", b"two", ends=ends), 10) == (ends, status)
    assert capsys.readouterr().out == "one\ntwo\n"


@pytest.mark.parametrize("said", [
    b"selftest: no !fault exception=00000003 seen\n",
    b"!fault none\n!end\n",
    b"!faults=00000000\n!end\n",
])  # fmt: skip
def test_text_about_faults_is_no_dump(said: bytes) -> None:
    ends = "it ended with status 0"
    assert shown(Said(said, b"more\n", ends=ends), 10) == (ends, 0)


def test_a_fault_ends_what_would_run_on(capsys: pytest.CaptureFixture[str]) -> None:
    dump = b"!fault pc=00000010\n!end\n"
    with pytest.raises(ToolchainError, match="RIG007: it faulted"):
        shown(Said(dump, b"after it\n"), 60)
    assert "after it" not in capsys.readouterr().out


@pytest.mark.parametrize("ends", ["it ended with status 70", ""])
@pytest.mark.parametrize("halves", [True, False])
def test_a_fault_is_an_error(ends: str, halves: bool, capsys: pytest.CaptureFixture[str]) -> None:
    dump = b"one\n!fault exception=00000003\n! cfsr=00008200 pc=00000010\n!end\n"
    said = (dump[:9], dump[9:]) if halves else (dump,)
    with pytest.raises(ToolchainError, match="RIG007: it faulted") as caught:
        shown(Said(*said, ends=ends), 60)
    assert "cfsr=00008200" in str(caught.value)
    assert capsys.readouterr().out.startswith("one\n!fault")


@pytest.mark.parametrize("said", [(), (b"one\n",)])
def test_a_lockup_names_the_memory_of_the_stack(said: tuple[bytes, ...]) -> None:
    with pytest.raises(ToolchainError, match="RIG011: it is gone: .*Lockup") as caught:
        shown(Said(*said, ends="it was ended by SIGABRT: qemu: fatal: Lockup: can't escalate"), 10)
    assert caught.value.problems[0].fix == LOCKUP_FIX


def test_what_a_pty_forgot_is_in_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_bytes(b"one\r\ntwo\nthree")
    shown(Said(b"one\r\n", ends="it ended with status 0"), 10, tmp_path / "log")
    assert capsys.readouterr().out == "one\ntwo\nthree\n"


@pytest.mark.slow
def test_what_runs_for_ever_is_left_when_the_time_is_over() -> None:
    how, status = shown(Said(b"boot"), 0.05)
    assert status == 0
    assert "still running after 0.05 s" in how


def test_a_board_does_not_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    shown(Said(b"\x1b]52;c;AA\x07\t\xff\xc3\xa4\n", ends="it ended with status 0"), 10)
    assert capsys.readouterr().out == "\\x1b]52;c;AA\\x07\t\\xff\u00e4\n"


@pytest.mark.slow
def test_who_says_too_much_is_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    told = shown(Said(*[b"x" * (1 << 20)] * 20), 60)
    assert told == ("stopped: it said more than 16 MiB", 1)
    assert len(capsys.readouterr().out) <= (16 << 20) + 1

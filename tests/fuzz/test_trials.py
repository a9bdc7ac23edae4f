"""Tests that fuzzers find exceptions, hangs and memory, each with what repeats it."""

from pathlib import Path
from random import Random

import pytest

from tests.fuzz.trials import Limits, Trial, command, run_trials

pytestmark = pytest.mark.slow

LIMITS = Limits(seconds=1.0, mebibytes=64)


def raises(_: Random, folder: Path) -> str:
    (folder / "evidence").write_text("x")
    raise UnicodeDecodeError("ascii", b"\xff", 0, 1, "no")


def hangs(_: Random, __: Path) -> str:
    while True:
        pass


def hoards(_: Random, __: Path) -> str:
    return str(len(bytes(b"x" * (96 << 20))))


@pytest.mark.parametrize(
    ("trial", "why"),
    [(raises, "UnicodeDecodeError"), (hangs, "Hang"), (hoards, "MemoryError: it took")],
)
def test_a_failure_is_reported_and_kept(tmp_path: Path, trial: Trial, why: str) -> None:
    result = run_trials("x", trial, [7], 3, LIMITS, tmp_path)
    ((number, text),) = result.failures
    assert number == 7
    assert why in text
    assert why in (tmp_path / "x-3-7" / "traceback.txt").read_text()
    assert (tmp_path / "x-3-7" / "evidence").exists() == (trial is raises)


def test_the_same_trial_repeats() -> None:
    first, second = (
        run_trials("x", lambda chance, _: str(chance.random()), [5], 9, LIMITS) for _ in range(2)
    )
    assert first.outcomes == second.outcomes


def test_the_command_prints_what_came_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("x", lambda *_: "fine", LIMITS, ["--count=12"]) == 0
    assert "12  fine" in capsys.readouterr().out

"""One timer for all calls of ops: none gets the time of another, and none is left without."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from opsmith.errors import ToolchainError
from opsmith.running import Running

AT_ONCE = """
import time
from opsmith.running import Running
with Running(SECONDS, "infer", "op.py"):
    pass
"""


@pytest.fixture(autouse=True)
def _no_timer_from_before() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, 0)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


def call(limit: float, seconds: float) -> None:
    """A call that ends by itself after so many seconds."""
    end = time.monotonic() + seconds
    with Running(limit, "infer", "op.py"):
        while time.monotonic() < end:
            time.sleep(0.001)


def late(limit: float) -> bool:
    """Whether a call that takes much too long is stopped."""
    began = time.monotonic()
    with pytest.raises(ToolchainError, match="OPS071"):
        call(limit, 5)
    return limit <= time.monotonic() - began < 4


def test_a_short_deadline_after_a_long_one_holds() -> None:
    call(60, 0)
    assert late(0.1)


@pytest.mark.slow
def test_what_is_left_of_an_earlier_deadline_ends_no_later_call() -> None:
    call(0.1, 0)
    call(60, 0.3)


@pytest.mark.slow
def test_a_deadline_holds_after_an_earlier_one_has_fired_in_vain() -> None:
    call(0.1, 0)
    time.sleep(0.15)
    assert late(0.2)
    call(0.1, 0.05)
    assert late(0.2)


@pytest.mark.slow
def test_it_is_held_against_the_call_that_runs() -> None:
    call(0.3, 0)
    call(0.4, 0.35)
    assert late(0.1)


@pytest.mark.slow
def test_a_timer_of_somebody_else_does_not_take_ours_away() -> None:
    call(0.3, 0)
    before = signal.signal(signal.SIGALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        assert late(0.3)
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.02, 60.0])
def test_a_timer_that_goes_on_does_not_end_the_process(seconds: float) -> None:
    code = AT_ONCE.replace("SECONDS", str(seconds))
    assert subprocess.run([sys.executable, "-c", code], timeout=30, check=False).returncode == 0
    late_end = f"{code}time.sleep(0.1)"
    assert subprocess.run([sys.executable, "-c", late_end], timeout=30, check=False).returncode == 0

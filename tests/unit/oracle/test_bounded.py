"""Tests that native code which takes too long ends, and its process, too."""

import os
import signal
import time
from collections.abc import Callable

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.oracle.bounded import Died, bounded


def never() -> int:
    """Block as native code does, so that Python's signal handlers never run."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    time.sleep(1000)
    return 1


@pytest.mark.slow
def test_what_it_returns_arrives() -> None:
    found = bounded(lambda: {(0, "y", 0): [np.arange(100_000)]}, 60)
    np.testing.assert_array_equal(found[0, "y", 0][0], np.arange(100_000))


def test_what_it_raises_arrives_with_all_that_it_says() -> None:
    def fails() -> None:
        raise ToolchainError.of("RIG020", "no", where="here", fix="yes")

    with pytest.raises(ToolchainError, match="RIG020: no") as raised:
        bounded(fails, 60)
    (problem,) = raised.value.problems
    assert (problem.code, problem.where, problem.fix) == ("RIG020", "here", "yes")


@pytest.mark.slow
def test_what_it_writes_to_standard_error_follows_or_is_told(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def ends(how: Callable[[], None]) -> int:
        os.write(2, b"double free\n")
        how()
        return 1

    assert bounded(lambda: ends(lambda: None), 60) == 1
    assert capfd.readouterr().err == "double free\n"
    with pytest.raises(Died, match="status 3: double free"):
        bounded(lambda: ends(lambda: os._exit(3)), 60)
    assert not capfd.readouterr().err


@pytest.mark.slow
def test_it_ends_after_its_time() -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        bounded(never, 0.2)
    assert time.monotonic() - started < 60


@pytest.mark.slow
def test_it_ends_with_its_caller() -> None:
    """The process ends with its caller, which a signal stops; else it would wait for a minute."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            bounded(never, 60)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_crash_is_told() -> None:
    with pytest.raises(Died, match="it was ended by SIGKILL"):
        bounded(lambda: os.kill(os.getpid(), signal.SIGKILL), 60)

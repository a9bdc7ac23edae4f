"""Signals that arrive while a process forks are heard: os.fork() drops what its hooks raise."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opsmith.child import default_signals, held_signals
from opsmith.oracle.bounded import bounded
from opsmith.package.conan import Conan

raised: list[int] = []  # by the next fork, in a hook of it


def _raise_signals() -> None:
    while raised:
        signal.raise_signal(raised.pop())


os.register_at_fork(after_in_parent=_raise_signals)


def fork() -> None:
    with held_signals():
        if (process := os.fork()) == 0:
            os._exit(0)
    os.waitpid(process, 0)


def fork_for_conan(folder: Path) -> None:
    Conan(folder).run("config", "home")


@pytest.fixture(autouse=True)
def _no_signal_is_left() -> Iterator[None]:
    yield
    assert not raised


@pytest.mark.parametrize("forks", [
    lambda _: fork(),
    lambda _: bounded(lambda: 1, 60),
    pytest.param(fork_for_conan, marks=pytest.mark.slow),
])  # fmt: skip
def test_a_signal_is_heard_when_the_fork_is_done(
    forks: Callable[[Path], None], tmp_path: Path
) -> None:
    raised.append(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        forks(tmp_path)


def test_handlers_and_mask_are_as_before() -> None:
    both = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in both]
    raised.append(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        fork()
    assert [signal.getsignal(number) for number in both] == before
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ()) & {*both}


def test_a_child_ends_by_a_signal() -> None:
    with held_signals():
        if (process := os.fork()) == 0:
            default_signals()
            signal.raise_signal(signal.SIGTERM)
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGTERM


def test_a_signal_that_nobody_handles_is_no_concern() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        raised.append(signal.SIGINT)
        fork()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_thread_that_hears_no_signals_forks_as_well() -> None:
    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()

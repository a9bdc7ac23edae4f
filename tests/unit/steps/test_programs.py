"""Programs of steps, and the signals that end them."""

import signal
import threading
import time
from collections.abc import Iterator

import pytest

from opsmith.steps.programs import (
    INTERRUPTED,
    WAKES,
    Builds,
    handle_signals_of_threads,
    run_program,
)


@pytest.fixture
def builds() -> Iterator[Builds]:
    """Builds that SIGINT interrupts, as SCons's handler does."""
    builds = Builds({})
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, WAKES)}
    signal.signal(signal.SIGINT, lambda *_: setattr(builds, "interrupted", True))
    handle_signals_of_threads()
    yield builds
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("program", ["true", "false"])
def test_a_signal_is_heard_whichever_thread_got_it(builds: Builds, program: str) -> None:
    ended = []

    def step() -> None:
        time.sleep(0.1)  # until the main thread sleeps
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        ended.append(run_program([program], builds, (), None))
        ended.append(run_program(["false"], builds, (), None))

    thread = threading.Thread(target=step)
    thread.start()
    thread.join()
    assert builds.interrupted
    assert ended[1].status == INTERRUPTED


def test_a_program_that_fails_by_itself_is_no_interruption(builds: Builds) -> None:
    assert run_program(["false"], builds, (), None).status == 1
    assert not builds.interrupted

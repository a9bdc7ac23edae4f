"""A deadline holds for each invoke and for all that a command computes."""

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.oracle.deadline import LOADING, MOST_BYTES, Deadline
from opsmith.oracle.flow import node_runs


class Clock:
    """Clock that tests set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_time_begins_with_the_first_question() -> None:
    clock = Clock()
    deadline = Deadline(5, clock=clock)
    clock.now += 60  # a board is flashed
    assert deadline.invoke() == 5
    clock.now += 3
    assert deadline.invoke() == 2
    assert deadline.reference() == 2 + LOADING
    clock.now += 3
    assert deadline.reference() == LOADING
    with pytest.raises(ToolchainError, match=r"RIG065: .* did not end within 5 s"):
        deadline.invoke()


def test_without_a_timeout_one_invoke_has_less_time_than_all_of_them() -> None:
    assert Deadline().invoke() == 120
    assert 599 < Deadline().left() <= 600
    assert Deadline(builds=3).left() > 1799


@pytest.mark.parametrize("seconds", [0, -1, 2e6, float("nan")])
def test_what_is_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(ToolchainError, match="RIG044"):
        Deadline(seconds)


def test_a_loop_without_nodes_ends() -> None:
    clock = Clock()
    deadline = Deadline(5, clock=clock)
    loop = [{"while": "c", "test": [], "body": []}]

    def check() -> None:
        clock.now += 1
        deadline.check()

    with pytest.raises(ToolchainError, match="RIG065"):
        list(node_runs(loop, {"c": np.array(True)}, check))


def test_what_is_kept_is_bounded() -> None:
    deadline = Deadline()
    deadline.keep(MOST_BYTES // 2)
    with pytest.raises(ToolchainError, match=r"RIG066: .* more than 1,024 MiB"):
        deadline.keep(MOST_BYTES // 2)

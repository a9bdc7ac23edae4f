"""A seeded part of what `python -m tests.fuzz.boards` tries."""

import pytest

from tests.fuzz.boards import judge
from tests.fuzz.judged import LIMITS, apart
from tests.fuzz.trials import run_trials

pytestmark = pytest.mark.slow

COUNT = 45


def test_a_broken_board_is_an_error_or_links() -> None:
    tally = run_trials("boards", apart(judge), range(COUNT), 11, LIMITS)
    assert not tally.failures, tally.failures[0][1]
    assert tally.outcomes.total() == COUNT
    assert {"accepted", "BRD001", "BRD004", "BRD012"} <= set(tally.outcomes)

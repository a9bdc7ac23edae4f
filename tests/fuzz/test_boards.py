"""A seeded part of what `python -m tests.fuzz.boards` tries."""

from __future__ import annotations

import pytest

from tests.fuzz.boards import judge
from tests.fuzz.judged import fuzz

pytestmark = pytest.mark.slow

COUNT = 45


def test_a_broken_board_is_an_error_or_links() -> None:
    tally = fuzz(judge, range(COUNT), seed=11)
    assert not tally.failures
    assert tally.outcomes.total() == COUNT
    assert {"accepted", "BRD001", "BRD004", "BRD012"} <= set(tally.outcomes)

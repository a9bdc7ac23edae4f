"""Some trials of `python -m tests.fuzz.console`: every hostile peer is one coded error."""

import pytest

from tests.fuzz.console import LIMITS, trial
from tests.fuzz.trials import run_trials

pytestmark = pytest.mark.slow


def test_every_hostile_peer_is_reported_by_code_within_its_deadline() -> None:
    result = run_trials("console", trial, range(120), 0, LIMITS)
    assert not result.failures, result.failures[0][1]
    codes = {"RIG006", "RIG008", "RIG010", "RIG011", "RIG040", "RIG041", "RIG042", "RIG043"}
    assert {"right", *codes} <= set(result.outcomes)

"""Some trials of `python -m tests.fuzz.pt2`: each mutant is read or is an error with codes."""

import pytest

from tests.fuzz.pt2 import LIMITS, trial
from tests.fuzz.trials import run_trials

pytestmark = pytest.mark.slow


def test_every_mutant_is_read_or_refused_by_code() -> None:
    result = run_trials("pt2", trial, range(60), 0, LIMITS)
    assert not result.failures, result.failures[0][1]
    assert {"read", "MDL001", "MDL006", "MDL007"} <= {*result.outcomes}

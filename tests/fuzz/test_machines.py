"""A build of `python -m tests.fuzz.machines`."""

import pytest

from tests.fuzz.machines import LIMITS, trial
from tests.fuzz.trials import run_trials

pytestmark = [pytest.mark.slow, pytest.mark.system]


def test_builds_on_other_machines_have_the_same_bytes() -> None:
    result = run_trials("machines", trial, range(1), 0, LIMITS)
    assert not result.failures, result.failures[0][1]
    assert result.outcomes == {"equal": 1}

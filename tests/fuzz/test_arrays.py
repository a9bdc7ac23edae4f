"""Some trials of `python -m tests.fuzz.arrays`: each damaged npz file is one coded error."""

import pytest

from tests.fuzz.arrays import LIMITS, trial
from tests.fuzz.trials import run_trials

pytestmark = pytest.mark.slow


def test_every_damaged_file_is_loaded_or_refused_by_code() -> None:
    result = run_trials("arrays", trial, range(120), 0, LIMITS)
    assert not result.failures, result.failures[0][1]
    assert {"loaded", "saved and loaded", "RIG012", "RIG013", "examples RIG032"} <= set(
        result.outcomes
    )

"""Some trials of `python -m tests.fuzz.onnx`: each mutant is read or is an error with codes."""

import pytest

from tests.fuzz.onnx import LIMITS, trial
from tests.fuzz.trials import run_trials

pytestmark = pytest.mark.slow


def test_every_mutant_is_read_or_refused_by_code() -> None:
    result = run_trials("onnx", trial, range(60), 2, LIMITS)
    assert not result.failures, result.failures[0][1]
    assert {"read", "MDL006", "MDL007", "MDL010", "MDL038", "MDL039"} <= {*result.outcomes}

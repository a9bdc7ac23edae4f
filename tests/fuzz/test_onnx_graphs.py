"""Some trials of `python -m tests.fuzz.onnx_graphs`: graphs are near onnx.reference or refused."""

import pytest

from tests.fuzz.onnx_graphs import LIMITS, trial
from tests.fuzz.trials import run_trials

pytestmark = pytest.mark.slow


def test_every_graph_is_near_the_reference_or_refused_by_code() -> None:
    result = run_trials("onnx_graphs", trial, range(80), 1, LIMITS)
    assert not result.failures, result.failures[0][1]
    assert {*result.outcomes} <= {"float", "quantised", "nothing", "MDL006", "MDL013", "MDL014"}
    assert min(result.outcomes["float"], result.outcomes["quantised"]) > 25

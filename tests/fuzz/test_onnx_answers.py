"""Some of `python -m tests.fuzz.onnx_answers`, where onnxruntime is installed."""

import numpy as np
import pytest

from opsmith.frontend.onnx.functions import FUNCTIONS
from tests.conftest import NO_ONNXRUNTIME
from tests.fuzz.onnx_answers import compared, oracles
from tests.fuzz.onnx_operands import LIMITS, trial
from tests.fuzz.trials import run_trials
from tests.unit.frontend.onnx_cases import QUANTISED

SAME = ("Conv", "Gemm", "MatMul", "Concat", "MaxPool", "Clip", *FUNCTIONS)


def test_operands_fit_or_are_refused_as_by_onnxruntime() -> None:
    pytest.importorskip("onnxruntime", reason=NO_ONNXRUNTIME)
    result = run_trials("onnx_operands", trial, range(300), 0, LIMITS)
    assert not result.failures, result.failures[0][1]
    assert min(result.outcomes["right"], result.outcomes["refused"]) > 60


def test_fused_operators_give_the_elements_of_onnxruntime() -> None:
    pytest.importorskip("onnxruntime", reason=NO_ONNXRUNTIME)
    random = np.random.default_rng(1)
    cases = [case for case in QUANTISED if case[0] in SAME]
    found = {case[0]: dict(compared(case, random, oracles()))["fused"] for case in cases}
    assert found == dict.fromkeys(found, 0)
    assert len(found) > 15

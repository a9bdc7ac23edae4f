"""Some of `python -m tests.fuzz.onnx_answers`, where onnxruntime is installed."""

import numpy as np
import pytest

from opsmith.frontend.onnx.functions import FUNCTIONS
from tests.conftest import NO_ONNXRUNTIME
from tests.fuzz.onnx_answers import compared, oracles
from tests.unit.frontend.onnx_cases import QUANTISED

SAME = ("Conv", "Gemm", "MatMul", "Concat", "MaxPool", "Clip", *FUNCTIONS)


def test_fused_operators_give_the_elements_of_onnxruntime() -> None:
    pytest.importorskip("onnxruntime", reason=NO_ONNXRUNTIME)
    random = np.random.default_rng(1)
    cases = [case for case in QUANTISED if case[0] in SAME]
    found = {case[0]: dict(compared(case, random, oracles()))["fused"] for case in cases}
    assert found == dict.fromkeys(found, 0)
    assert len(found) > 15

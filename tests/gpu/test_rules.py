"""Kernels in OpenCL C follow the notebook's rule, op by op, on PoCL."""

import json
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Numerics
from opsmith.oracle.litert import Reference
from opsmith.testing.inputs import seeded_inputs
from opsmith.tflite.cases import merged_model
from tests.conftest import NO_PACKAGES
from tests.fuzz.one_op import OF_RULES, reproduced
from tests.gpu import pocl
from tests.gpu.opencl_board import build, run
from tests.oracles import need_oracle

pytestmark = [pytest.mark.system, pytest.mark.slow]
# By kernels that test_models.py runs, or those of another op here.
ALIKE = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "SUB", "SUM", "TANH", "ELU")


def test_every_op_is_exact_on_the_device(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Every op is exact on the device; with --examples=N, N models of each are tried."""
    need_oracle(Numerics.NOTEBOOK)
    if missing := pocl.absent():
        pytest.skip(f"{NO_PACKAGES}: {missing}")
    count = pytestconfig.getoption("--examples")
    some = [of for of in OF_RULES.values() if count > 1 or of[0].op not in ALIKE]
    drawn = (reproduced(of, of[0].op, count) for of in some)
    content = merged_model([case for cases in drawn for case in cases])
    file = tmp_path / "ops.tflite"
    file.write_bytes(content)
    firmware = build(file, tmp_path, affinity="*:gpu", numerics="notebook")
    report = json.loads((firmware / "report.json").read_text("utf-8"))
    assert [each for each in report["nodes"] if not each["kernel"].startswith("gpu")] == []
    oracle = Reference(content, default=True)
    sets = seeded_inputs(oracle.inputs, 3)
    with pocl.on_pocl(tmp_path / "pocl"):
        answers = run(firmware, sets)
    for inputs, found in zip(sets, answers, strict=True):
        for detail, theirs, ours in zip(oracle.outputs, oracle.run(inputs), found, strict=True):
            assert np.array_equal(theirs, ours), detail.name

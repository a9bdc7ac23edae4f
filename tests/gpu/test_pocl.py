"""PoCL is what programs run on, also where a simulator was chosen around it."""

import os
from pathlib import Path

from runtimes.gpu import simulator
from tests.gpu import pocl


def test_a_simulator_around_it_is_not_what_programs_run_on(tmp_path: Path) -> None:
    with simulator.simulated():
        chosen = os.environ["OPSMITH_OPENCL"]
        with pocl.on_pocl(tmp_path):
            assert "OPSMITH_OPENCL" not in os.environ
            assert os.environ["OCL_ICD_VENDORS"] == str(pocl.ICD)
        assert os.environ["OPSMITH_OPENCL"] == chosen

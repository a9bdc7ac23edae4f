"""Kernels in assembly at opt=speed, which leaves them other registers than -O2."""

from pathlib import Path

import pytest

from opsmith.testing.op_cases import check_on_board
from opsmith.tflite.cases import cases
from runtimes.families.depthwise_cases import Depthwise16

OPS = Path(__file__).resolve().parents[2] / "ops"


@pytest.mark.system
@pytest.mark.qemu
@pytest.mark.slow
def test_lines_of_int16_equal_litert() -> None:
    """Lines of int16 equal LiteRT; a line of threes takes all registers but one."""
    some = cases(threes=Depthwise16())
    check_on_board(OPS / "depthwise_conv_2d", some, "mps3_an547", opt="speed")

"""Kernels of int16 activations that learn their Shape at run time, which opt=size builds."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from toolchain.testing.op_cases import Case, check_on_board

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.slow]
OPS = Path(__file__).resolve().parents[2] / "ops"
NAMES = ("conv_2d_i16x8", "depthwise_conv_2d_i16x8", "fully_connected_i16x8")


def cases() -> list[Case]:
    """Those of all these ops, for one model."""
    tests = {name: import_module(f"ops.{name}.test_{name}") for name in NAMES}
    return [
        replace(case, name=f"{name}_{case.name}")
        for name, module in tests.items()
        for case in module.CASES
    ]


@pytest.mark.parametrize("board", ["mps2_an386", "mps3_an547"])
def test_general_forms_equal_litert(board: str) -> None:
    check_on_board(OPS / NAMES[0], cases(), board, opt="size")

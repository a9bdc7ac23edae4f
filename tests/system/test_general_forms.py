"""Kernels of ops with weights that learn their Params at run time, which opt=size builds."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from opsmith.runtimes.families.convolution_cases import Conv
from opsmith.runtimes.families.held_cases import HELD
from opsmith.runtimes.families.neighbour_cases import QUADS
from opsmith.testing.op_cases import Case, check_on_board
from opsmith.testing.op_cases import cases as cases_of
from tests.system.general_forms import general_forms

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.slow]
OPS = Path(__file__).resolve().parents[2] / "ops"
NAMES = ("conv_2d", "depthwise_conv_2d", "fully_connected")
# board -> (its core, kernels that are proved; others have too few Params for a general form)
BOARDS = {
    "mps2_an386": (
        "cortex-m4f",
        {
            *((name, f"{types}/dsp") for name in NAMES for types in ("i8", "i16x8")),
            ("depthwise_conv_2d", "i8/dsp_general"),
        },
    ),
    "mps3_an547": (
        "cortex-m55",
        {
            *((name, "i16x8/mve") for name in NAMES),
            ("fully_connected", "i8/mve"),
            *(("depthwise_conv_2d", f"{types}/mve_lines") for types in ("i8", "i16x8")),
        },
    ),
}


def cases() -> list[Case]:
    """Half of those of all these ops, for one model: the console is slow."""
    tests = {name: import_module(f"ops.{name}.test_{name}") for name in NAMES}
    return [
        replace(case, name=f"{name}_{case.name}")
        for name, module in tests.items()
        for case in module.CASES[::2]
    ]


@pytest.mark.parametrize("board", BOARDS)
def test_general_forms_equal_litert(board: str) -> None:
    core, kernels = BOARDS[board]
    assert kernels <= general_forms(cases(), core)
    check_on_board(OPS / NAMES[0], cases(), board, opt="size")


@pytest.mark.parametrize(("prefer", "some"), [("mve_quads", QUADS), ("mve_held", HELD)])
def test_general_forms_of_neighbours_equal_litert(prefer: str, some: dict[str, Conv]) -> None:
    """Which opt=size has no use for: mve, which takes less flash, computes their nodes there."""
    found = cases_of(**some)
    assert ("conv_2d", f"i8/{prefer}") in general_forms(found, "cortex-m55", "balanced", prefer)
    options = {"prefer": prefer, "flash_budget": "0"}
    check_on_board(OPS / "conv_2d", found, "mps3_an547", options=options)

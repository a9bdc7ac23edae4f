"""Kernels correct the sums that thresholds miss, and equal LiteRT's default interpreter."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from opsmith.board.manifest import load_board
from opsmith.home import shipped
from opsmith.testing.checkout import ROOT
from opsmith.testing.op_cases import check_on_board, check_on_host
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.matmul import MATMUL
from tests.exceptional import (
    BATCH,
    BEYOND,
    CONVOLUTIONS,
    DEPTHWISES,
    GROUPS,
    LINES,
    MATRICES,
    SLIDES,
    THREES,
)
from tests.fuzz.one_op import OF_RULES, reproduced
from tests.system.tools import require_tools

pytestmark = pytest.mark.slow

LAYERS = {
    "convolution": ("conv_2d", CONVOLUTIONS, CONVOLUTION),
    "threes": ("conv_2d", THREES, CONVOLUTION),
    "groups": ("conv_2d", GROUPS, CONVOLUTION),
    "depthwise": ("depthwise_conv_2d", DEPTHWISES, DEPTHWISE),
    "matrices": ("fully_connected", MATRICES, MATMUL),
}
BOARDS = ("mps2_an385", "qemu_riscv32", "mps3_an547", "mps2_an386")  # that have all in a firmware
SMALL = "microbit"  # has one at a time, and no memory for `depthwise`
TOGETHER = [(tuple(LAYERS), board) for board in BOARDS]
TOGETHER += [((name,), SMALL) for name in LAYERS if name != "depthwise"]
DSP, HELIUM = "mps2_an386", "mps3_an547"
KERNELS = {
    "dsp_listed": (DSP, *LAYERS["convolution"]),
    "dsp_threes_listed": (DSP, *LAYERS["threes"]),
    "dsp_twos_listed": (DSP, *LAYERS["threes"]),
    "dsp_rows_listed": (DSP, *LAYERS["convolution"]),
    "dsp_inside_listed": (DSP, "conv_2d", BEYOND, CONVOLUTION),
    "dsp_slides_listed": (DSP, "conv_2d", LINES, CONVOLUTION),
    "kronecker_listed": (DSP, "conv_2d", SLIDES, CONVOLUTION),
    "dsp_general_listed": (DSP, *LAYERS["depthwise"]),
    "dsp_pairs_listed": (DSP, *LAYERS["depthwise"]),
    "dsp_window_listed": (DSP, "depthwise_conv_2d", BATCH, DEPTHWISE),
    "dsp_single": (DSP, *LAYERS["convolution"]),
    "dsp_rows_single": (DSP, *LAYERS["convolution"]),
    "dsp_inside_single": (DSP, "conv_2d", BEYOND, CONVOLUTION),
    "dsp_grouped_single": (DSP, *LAYERS["groups"]),
    "dsp_general_single": (DSP, *LAYERS["depthwise"]),
    "dsp_window_single": (DSP, "depthwise_conv_2d", BATCH, DEPTHWISE),
    "dsp_long_single": (DSP, *LAYERS["matrices"]),
    "plain_grouped_listed": ("mps2_an385", *LAYERS["groups"]),
    "thumb2_grouped_listed": ("mps2_an385", *LAYERS["groups"]),
    "mve_windows_single": (HELIUM, *LAYERS["convolution"]),
    "mve_grouped_single": (HELIUM, *LAYERS["groups"]),
    "mve_single": (HELIUM, *LAYERS["matrices"]),
    "mve_pixel_single": (HELIUM, "depthwise_conv_2d", BATCH, DEPTHWISE),
}
ROUNDED_ONCE = {  # by kernel
    "mve_thresholds": ("MEAN int8", HELIUM),
    "mve_single": ("MUL int8", HELIUM),
    "integers": ("SOFTMAX int8/int8", "microbit"),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", LAYERS)
def test_kernels_of_every_core_correct_exceptions(name: str) -> None:
    op, case, layer = LAYERS[name]
    inputs, exceptions = case.inputs_with_exceptions(layer)
    assert exceptions > 8
    opts = ("balanced", "size")
    check_on_host(shipped("ops") / op, [case.case()], opts, "notebook", sets=[inputs])


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.system
@pytest.mark.parametrize("opt", ["balanced", "size"])
@pytest.mark.parametrize(("names", "board"), TOGETHER)
def test_kernels_of_a_core_correct_exceptions(names: Sequence[str], board: str, opt: str) -> None:
    require_tools(load_board(board, [ROOT / "boards"]))
    cases = [replace(LAYERS[name][1].case(), name=name) for name in names]
    given = [LAYERS[name][1].inputs_with_exceptions(LAYERS[name][2])[0] for name in names]
    inputs = [each for of_layer in given for each in of_layer]
    rule, op = {"numerics": "notebook"}, LAYERS[names[0]][0]
    folder = shipped("ops") / op
    check_on_board(folder, cases, board, opt, oracle="notebook", sets=[inputs], options=rule)


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.system
@pytest.mark.parametrize("opt", ["balanced", "size"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_that_other_layers_get_correct_exceptions(kernel: str, opt: str) -> None:
    board, op, case, layer = KERNELS[kernel]
    inputs, exceptions = case.inputs_with_exceptions(layer)
    assert exceptions > 8
    folder, cases = shipped("ops") / op, [case.case()]
    options = {"numerics": "notebook", "prefer": kernel}
    check_on_board(folder, cases, board, opt, oracle="notebook", sets=[inputs], options=options)


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.system
@pytest.mark.parametrize("opt", ["balanced", "size"])
@pytest.mark.parametrize("kernel", ROUNDED_ONCE)
def test_elements_are_rounded_as_the_rule_says(kernel: str, opt: str) -> None:
    name, board = ROUNDED_ONCE[kernel]
    require_tools(load_board(board, [ROOT / "boards"]))
    cases = reproduced(OF_RULES[name], name, 12)
    folder = shipped("ops") / OF_RULES[name][0].op.lower()
    options = {"numerics": "notebook", "prefer": kernel}
    check_on_board(folder, cases, board, opt, oracle="notebook", options=options)

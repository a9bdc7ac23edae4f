"""Why kernels refuse a node: the reasons that the report prints."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.cores import CORES
from opsmith.ir.choice import KernelChoice
from opsmith.pipeline import read
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from runtimes.cmsis.mve_packing import NOT_TO_THE_RIGHT
from runtimes.families.convolution_cases import Conv, Conv16, ConvF32
from runtimes.families.depthwise_cases import Depthwise, Depthwise16, DepthwiseF32
from runtimes.families.matmul_cases import RealMatMul
from runtimes.families.pooling_cases import Pool
from tests.programs import stored

M4, M55 = "cortex-m4f", "cortex-m55"
SMALL = Conv((1, 6, 6, 32), (4, 3, 3, 32), (1, 4, 4, 4))
POINTWISE = Conv((1, 5, 6, 16), (4, 1, 1, 16), (1, 5, 6, 4))
DILATED = Conv(y=(1, 3, 2, 4), options={"dilation_w_factor": 2})
GROUPS_F32 = ConvF32((1, 5, 6, 4), (6, 3, 3, 2), (1, 3, 4, 6))
DILATED_F32 = ConvF32(y=(1, 3, 2, 4), options={"dilation_w_factor": 2})
LINE = {"dilation_h_factor": 8}
STRIDES = {"stride_h": 2, "stride_w": 2}


def refused(build: Callable[[ModelWriter], None], kernel: str, core: str, folder: Path) -> str:
    """Reason why a kernel does not compute the node on a core; "" where it could."""
    (found,) = (each for each in chosen(build, core, folder).candidates if each.name == kernel)
    return found.refused


def chosen(build: Callable[[ModelWriter], None], core: str, folder: Path) -> KernelChoice:
    """Kernel that computes the node on the core."""
    path = stored(build, folder)
    ops = shipped_ops()
    graph = select_kernels(read(path, "m", ops)[1], ops, CORES[core].features)
    assert graph.nodes[0].kernel is not None
    return graph.nodes[0].kernel


@pytest.mark.slow
@pytest.mark.parametrize(("build", "kernel", "core", "reason"), [
    (SMALL, "winograd", M4, ""),
    (Conv(), "winograd", M4, "3 input channels, not a multiple of 16 that is at least 32"),
    (Conv(filter=(4, 1, 1, 3), y=(1, 5, 6, 4)), "winograd", M4, "filter is 1x1, not 3x3"),
    (Conv(y=(1, 2, 2, 4), options=STRIDES), "winograd", M4, "stride is 2x2, not 1x1"),
    (SMALL, "kronecker", M4, ""),
    (Conv(), "kronecker", M4, "3 input channels, not a multiple of 8"),
    (Conv(filter=(4, 1, 1, 3), y=(1, 5, 6, 4)), "kronecker", M4, "filter is 1x1, not 3 wide"),
    (Conv((1, 2, 2, 64), (1, 5, 3, 64), (1, 2, 2, 1), {"padding": "SAME"}), "kronecker", M4,
     "polynomials for a row of y take 3840 bytes, more than 1024"),
    (Conv((1, 4, 4, 6), (4, 3, 3, 3), (1, 2, 2, 4)), "dsp", M4, "2 groups, not one"),
    (Conv((1, 1, 1, 1284), (1, 1, 1, 1284), (1, 1, 1, 1)), "dsp", M4,
     "a window has 1284 inputs, more than 1280"),
    (Conv(), "dsp_inside", M4, "3 input channels, not a multiple of 4"),
    (Conv((1, 5, 6, 4), (4, 1, 1, 4), (1, 5, 6, 4)), "dsp_inside", M4,
     "each window is a pixel of x, which dsp reads where it is"),
    (SMALL, "dsp_inside", M4, "100.0% of the taps are inside, for which dsp has less to do"),
    (Conv((1, 300, 300, 4), (2, 3, 3, 4), (1, 300, 300, 2), {"padding": "SAME"}), "dsp_inside", M4,
     "an image of y has 90000 pixels, more than 65536"),
    (Conv((1, 64, 1, 4), (2, 9, 1, 4), (1, 64, 1, 2), {"padding": "SAME", **LINE}), "dsp_inside",
     M4, ""),
    (Conv(), "dsp_slides", M4, "filter is 3x3, not 9 taps of a line"),
    (Conv((1, 9, 2, 4), (2, 9, 1, 4), (1, 1, 2, 2)), "dsp_slides", M4,
     "x is 1x9x2x4, not one line, or padded across it"),
    (Conv((1, 64, 1, 4), (2, 9, 1, 4), (1, 64, 1, 2), {"padding": "SAME", **LINE}), "dsp_slides",
     M4, "stride 1 with dilation 8, not 1 with 1 or 2, nor 2 with 1"),
    (Conv((1, 9, 1, 4), (3, 9, 1, 4), (1, 1, 1, 3)), "dsp_slides", M4,
     "4 input and 3 output channels, not multiples of 4 and 2"),
    (Conv((1, 9, 1, 4), (2, 9, 1, 4), (1, 1, 1, 2)), "dsp_slides", M4, ""),
    (DILATED, "mve", M55, "columns are dilated by 2"),
    (POINTWISE, "mve_held", M55, ""),
    (replace(POINTWISE, filter=(4, 1, 1, 32), x=(1, 5, 6, 32)), "mve_held", M55, ""),
    (SMALL, "mve_held", M55, "a window has 288 inputs, more than 32"),
    (DILATED, "mve_held", M55, "columns are dilated by 2"),
    (Conv((1, 1, 2, 1), (80, 1, 1, 1), (1, 1, 2, 80)), "mve_held", M55,
     "weights of 1 inputs would grow by 15 zeros each"),
    (Conv((1, 5, 6, 16), (1, 1, 1, 16), (1, 5, 6, 1)), "mve_held", M55,
     "1 output channels, fewer than 2"),
    (Conv((1, 5, 6, 20), (3, 1, 1, 20), (1, 5, 6, 3)), "mve_held", M55,
     "3 output channels, fewer than 4"),
    (replace(POINTWISE, options={"fused_activation_function": "RELU_N1_TO_1"}), "mve_held", M55,
     "outputs are clamped to -5..13, not to all of int8"),
    (replace(POINTWISE, filter_scale=(9.0,)), "mve_held", M55, NOT_TO_THE_RIGHT),
    (SMALL, "mve_quads", M55, ""),
    (Conv(), "mve_quads", M55, "3 input channels, not a multiple of 16"),
    (Conv((1, 6, 6, 16), (4, 2, 2, 16), (1, 5, 5, 4)), "mve_quads", M55,
     "filter is 2 wide, not 3, 5, 7, 9"),
    (Conv((1, 6, 9, 16), (4, 3, 3, 16), (1, 2, 4, 4), STRIDES), "mve_quads", M55,
     "the stride along rows is 2, not 1"),
    (Conv((1, 6, 6, 16), (3, 3, 3, 16), (1, 4, 4, 3)), "mve_quads", M55,
     "3 output channels, an odd number"),
    (Conv((1, 6, 9, 16), (4, 3, 3, 16), (1, 4, 5, 4), {"dilation_w_factor": 2}), "mve_quads", M55,
     "a row has 5 outputs, fewer than 8"),
    (Conv((1, 6, 9, 16), (4, 2, 3, 16), (1, 5, 7, 4)), "mve_quads", M55,
     "2 vectors of inputs in a column of the filter, fewer than 3"),
    (Conv((1, 1, 14, 4096), (2, 1, 3, 4096), (1, 1, 12, 2), filter_scale=(1e-5,)), "mve_quads", M55,
     "no strip for a row has at most 8192 bytes"),
    (Conv((1, 1, 6, 48), (2, 1, 3, 48), (1, 1, 4, 2), filter_scale=(9.0,)), "mve_quads", M55,
     NOT_TO_THE_RIGHT),
    (Conv16((1, 1, 1, 1284), (1, 1, 1, 1284), (1, 1, 1, 1)), "dsp", M4,
     "a window has 642 pairs of inputs, more than 640"),
    (Depthwise(), "dsp", M4, ""),
    (Depthwise(window=(5, 5)), "dsp", M4, "filter is 5x5, not 3x3"),
    (Depthwise(multiplier=2), "dsp", M4, "2 filters for each channel, not one"),
    (Depthwise(), "dsp_window", M4, "y is 7x6, not one pixel"),
    (Depthwise(), "dsp_pairs", M4, "sums are rounded twice"),
    (Depthwise(activation="RELU", y_zero_point=-128), "dsp_pairs", M4, ""),
    (Depthwise(x=(1, 7, 6, 3)), "dsp_pairs", M4, "3 channels, fewer than 4"),
    (Depthwise(x=(1, 7, 6, 1366)), "dsp_pairs", M4,
     "two windows are 4098 bytes wide, more than 4095"),
    (Depthwise(window=(5, 4)), "mve_lines", M55, "filter has 20 taps, more than 16"),
    (Depthwise16(x=(1, 7, 6, 3)), "dsp_general", M4, "3 channels, fewer than 4"),
    (Pool("MAX_POOL_2D", x=(1, 4, 4, 3)), "dsp", M4, "3 channels, fewer than 4"),
    (Pool("MAX_POOL_2D", x=(1, 4, 4, 3), dtype="float32"), "fpu", M4, "3 channels, fewer than 8"),
    (GROUPS_F32, "fpu", M4, "3 output channels, fewer than 4"),
    (ConvF32(filter=(3, 3, 3, 3), y=(1, 3, 4, 3)), "fpu", M4, "3 output channels, fewer than 4"),
    (ConvF32((1, 3, 3, 18), (4, 3, 3, 18), (1, 1, 1, 4)), "fpu_windows", M4,
     "a window has 162 inputs, more than 160"),
    (DILATED_F32, "fpu_windows", M4, "columns are dilated by 2"),
    (ConvF32(size=np.inf), "fpu_windows", M4, "a weight is not finite"),
    (ConvF32(size=np.inf), "fpu", M4, ""),
    (DILATED_F32, "mve_windows", M55, "columns are dilated by 2"),
    (ConvF32(size=np.inf), "mve", M55, "a weight is not finite"),
    (ConvF32(size=1e-40), "mve", M55,
     "108 weights are so small that vectors take products for zeros"),
    (DepthwiseF32(), "fpu", M4, "4 channels, fewer than 8"),
    (Pool("AVERAGE_POOL_2D", x=(1, 13, 20, 5), window=(13, 20), padding="VALID"), "mve", M55,
     "a window has 260 pixels, more than 256"),
])  # fmt: skip
def test_a_reason_has_the_numbers(
    build: Callable[[ModelWriter], None], kernel: str, core: str, reason: str, tmp_path: Path
) -> None:
    assert refused(build, kernel, core, tmp_path) == reason


@pytest.mark.parametrize(("core", "kernel", "depthwise"), [
    ("cortex-m4", "reference", "reference"),
    ("cortex-m7", "reference", "reference"),
    (M4, "fpu", "fpu_three"),
    (M55, "mve", "mve"),
])  # fmt: skip
def test_floats_get_the_kernel_for_what_computes_them(
    core: str, kernel: str, depthwise: str, tmp_path: Path
) -> None:
    pointwise = ConvF32((1, 6, 6, 8), (8, 1, 1, 8), (1, 6, 6, 8))
    threes = DepthwiseF32((1, 5, 6, 16), (1, 3, 3, 16), (1, 3, 4, 16))
    for node, name in ((pointwise, kernel), (threes, depthwise), (RealMatMul((4, 32), 16), kernel)):
        assert chosen(node, core, tmp_path).name == name


@pytest.mark.parametrize("channels", [2, 4, 16])
def test_lines_under_nine_taps_share_loads_however_few_filters_read_them(
    channels: int, tmp_path: Path
) -> None:
    line = Conv((1, 28, 1, 16), (channels, 9, 1, 16), (1, 20, 1, channels))
    assert chosen(line, M4, tmp_path).name == "dsp_slides"


@pytest.mark.parametrize(("channels", "outputs", "stride"), [(16, 1, 1), (8, 2, 2)])
def test_helium_computes_few_outputs_of_columns_that_are_copied_several_at_once(
    channels: int, outputs: int, stride: int, tmp_path: Path
) -> None:
    """Helium computes few outputs of copied columns, for which the dsp kernel takes 2.9 and 1.4
    times the instructions.
    """
    options = {"padding": "SAME", "stride_h": stride, "stride_w": stride}
    y = (1, 8 // stride, 16 // stride, outputs)
    node = Conv((1, 8, 16, channels), (outputs, 3, 3, channels), y, options, y_scale=0.4)
    assert chosen(node, M55, tmp_path).name == "mve"

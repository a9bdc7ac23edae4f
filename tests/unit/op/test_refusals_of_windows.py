"""Why kernels refuse a node: the reasons that the report prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from opsmith.board.cores import CORES
from opsmith.pipeline import read
from opsmith.runtimes.families.convolution_cases import Conv, Conv16
from opsmith.runtimes.families.depthwise_cases import Depthwise, Depthwise16
from opsmith.runtimes.families.pooling_cases import Pool
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.tflite_writer import ModelWriter

M4, M55 = "cortex-m4f", "cortex-m55"
SMALL = Conv((1, 6, 6, 32), (4, 3, 3, 32), (1, 4, 4, 4))
DILATED = Conv(y=(1, 3, 2, 4), options={"dilation_w_factor": 2})
STRIDES = {"stride_h": 2, "stride_w": 2}


def refused(build: Callable[[ModelWriter], None], kernel: str, core: str, folder: Path) -> str:
    """Why this kernel does not compute the node, on this core; "" where it could."""
    writer = ModelWriter()
    build(writer)
    path = folder / "m.tflite"
    path.write_bytes(writer.bytes())
    ops = shipped_ops()
    graph = select_kernels(read(path, "m", ops)[1], ops, CORES[core].features)
    assert graph.nodes[0].kernel is not None
    (found,) = (each for each in graph.nodes[0].kernel.candidates if each.name == kernel)
    return found.refused


@pytest.mark.parametrize(
    ("build", "kernel", "core", "reason"),
    [
        (SMALL, "winograd", M4, ""),
        (Conv(), "winograd", M4, "3 input channels: no multiple of 16 from 32 on"),
        (Conv(filter=(4, 1, 1, 3), y=(1, 5, 6, 4)), "winograd", M4, "filter is 1x1, not 3x3"),
        (Conv(y=(1, 2, 2, 4), options=STRIDES), "winograd", M4, "stride is 2x2, not 1x1"),
        (Conv((1, 4, 4, 6), (4, 3, 3, 3), (1, 2, 2, 4)), "dsp", M4, "2 groups, not one"),
        (
            Conv((1, 1, 1, 1284), (1, 1, 1, 1284), (1, 1, 1, 1)),
            "dsp",
            M4,
            "a window has 1284 inputs, more than 1280",
        ),
        (DILATED, "mve", M55, "columns are dilated by 2"),
        (
            Conv16((1, 1, 1, 1284), (1, 1, 1, 1284), (1, 1, 1, 1)),
            "dsp",
            M4,
            "a window has 642 pairs of inputs, more than 640",
        ),
        (Depthwise(), "dsp", M4, ""),
        (Depthwise(window=(5, 5)), "dsp", M4, "filter is 5x5, not 3x3"),
        (Depthwise(multiplier=2), "dsp", M4, "2 filters for each channel, not one"),
        (Depthwise(), "dsp_window", M4, "y is 7x6, not one pixel"),
        (Depthwise(window=(5, 4)), "mve_lines", M55, "filter has 20 taps, more than 16"),
        (
            Depthwise(filter_value=-128),
            "mve",
            M55,
            "a weight is -128: two of its products may need 17 bits",
        ),
        (Depthwise16(x=(1, 7, 6, 3)), "dsp_general", M4, "3 channels, fewer than 4"),
        (Pool("MAX_POOL_2D", x=(1, 4, 4, 3)), "dsp", M4, "3 channels, fewer than 4"),
        (
            Pool("AVERAGE_POOL_2D", x=(1, 13, 20, 5), window=(13, 20), padding="VALID"),
            "mve",
            M55,
            "a window has 260 pixels, more than 256",
        ),
    ],
)
def test_a_reason_has_the_numbers(
    build: Callable[[ModelWriter], None], kernel: str, core: str, reason: str, tmp_path: Path
) -> None:
    assert refused(build, kernel, core, tmp_path) == reason

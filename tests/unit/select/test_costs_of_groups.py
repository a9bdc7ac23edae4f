"""Kernels that convolutions of float32 by int8 filters get where each group has few channels."""

import pytest

from opsmith.tflite.cases import Case, merged_model
from runtimes.families.convolution_cases import ConvF32
from tests.programs import compiled

IMAGE = (1, 6, 6, 8)
SAME = {"padding": "SAME"}
ONE_EACH = ConvF32(IMAGE, (8, 1, 1, 1), IMAGE, SAME, filter_scales=8)
NINE_EACH = ConvF32(IMAGE, (8, 3, 3, 1), IMAGE, SAME, filter_scales=8)
PAIRS = ConvF32(IMAGE, (16, 3, 3, 2), (1, 6, 6, 16), SAME, filter_scales=16)
M4F, M3, RISCV = {"thumb", "thumb2", "dsp", "fpu"}, {"thumb", "thumb2"}, {"rv32m"}


@pytest.mark.parametrize(("layer", "features", "kernel"), [
    (ONE_EACH, M4F, "reference"),
    (NINE_EACH, M4F, "reference"),
    (PAIRS, M4F, "dsp_grouped"),
    (ONE_EACH, M3, "plain_grouped"),
    (NINE_EACH, M3, "plain_grouped"),
    (PAIRS, M3, "thumb2_grouped"),
    (ONE_EACH, RISCV, "rv32_grouped"),
    (NINE_EACH, RISCV, "rv32_grouped"),
])  # fmt: skip
def test_the_fastest_in_qemu_is_taken(layer: ConvF32, features: set[str], kernel: str) -> None:
    nodes = compiled(merged_model([Case("layer", layer)]), features=features).graph.nodes
    assert [node.kernel.name for node in nodes if node.kernel] == [kernel]

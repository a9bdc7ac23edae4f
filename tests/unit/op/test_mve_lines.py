"""Which depthwise convolutions Helium's kernel for lines takes."""

from pathlib import Path

import pytest

from opsmith.board.cores import CORES
from opsmith.pipeline import read
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.known_ops import shipped_ops
from runtimes.families.depthwise_cases import Depthwise, DepthwiseU8
from tests.programs import stored


def kernel(node: Depthwise | DepthwiseU8, folder: Path) -> str:
    """Name of the kernel that a node gets on a Cortex-M55."""
    path = stored(node, folder)
    ops = shipped_ops()
    graph = select_kernels(read(path, "m", ops)[1], ops, CORES["cortex-m55"].features)
    assert graph.nodes[0].kernel is not None
    return graph.nodes[0].kernel.name


@pytest.mark.parametrize("size", [(10, 10), (400, 10), (10, 400), (500, 4), (4, 500)])
def test_images_of_any_aspect(size: tuple[int, int], tmp_path: Path) -> None:
    node = Depthwise(x=(1, *size, 16), activation="RELU", y_zero_point=-128)
    assert kernel(node, tmp_path) == "mve_lines"


def test_more_taps_than_a_vector_has(tmp_path: Path) -> None:
    assert kernel(Depthwise(x=(1, 9, 9, 16), window=(5, 4)), tmp_path) == "mve_taps"


def test_strips_have_a_limit(tmp_path: Path) -> None:
    node = Depthwise(x=(1, 400, 400, 8), window=(3, 3))
    assert kernel(node, tmp_path) != "mve_lines"


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_few_channels_of_uint8_are_not_eight(channels: int, tmp_path: Path) -> None:
    x = (1, 12, 14, channels)
    node = DepthwiseU8(x, (1, 3, 3, channels), x, {"padding": "SAME", "depth_multiplier": 1})
    assert kernel(node, tmp_path) != "mve"

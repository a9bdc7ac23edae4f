"""Layers of few channels on processors with vectors, most of whose lanes would be idle."""

from collections.abc import Callable

import pytest

from opsmith.select.select_kernels import select_kernels
from opsmith.testing.board_cases import features_of
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from runtimes.families.convolution_cases import Conv, ConvU8
from runtimes.families.matmul_cases import MatMul
from tests.programs import graph_of

SAME = {"padding": "SAME"}


def bytes_of(depth: int, channels: int) -> MatMul:
    """Case of 16 rows of uint8."""
    return MatMul(
        (16, depth),
        channels,
        dtype="uint8",
        x_zero_point=3,
        weights_zero_point=100,
        y_zero_point=110,
    )


def window(
    of: type[Conv] | type[ConvU8], inputs: int, channels: int, size: int = 3
) -> Conv | ConvU8:
    """Case of an image of 24x24 pixels."""
    taps = (channels, size, size, inputs)
    return of((1, 24, 24, inputs), taps, (1, 24, 24, channels), SAME)


@pytest.mark.parametrize("board", ["x86_64", "x86_64_vnni"])
@pytest.mark.parametrize(("case", "by_vectors"), [
    *((MatMul((16, 600), n), n > 2) for n in (1, 2, 8, 9, 64)),
    *((bytes_of(600, n), n > 4) for n in (1, 2, 3, 4, 8, 9, 64)),
    *((window(of, 32, n), n > 1) for of in (Conv, ConvU8) for n in (1, 2, 9, 64)),
    *((window(of, 64, 1, 1), False) for of in (Conv, ConvU8)),
    *((window(of, n, 1), True) for of in (Conv, ConvU8) for n in (1, 3, 8)),
])  # fmt: skip
def test_few_channels_are_left_to_the_reference(
    board: str, case: Callable[[ModelWriter], None], *, by_vectors: bool
) -> None:
    graph = select_kernels(graph_of(case), shipped_ops(), features_of(board))
    kernel = graph.nodes[0].kernel
    assert kernel is not None
    assert (kernel.name != "reference") == by_vectors, kernel.why

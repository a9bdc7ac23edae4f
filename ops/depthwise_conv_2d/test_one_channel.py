"""Several filters of one channel are a plain convolution where that costs less."""

from dataclasses import replace

import pytest

from opsmith.legalize.decompose import decompose
from opsmith.runtimes.families.depthwise_cases import Depthwise
from opsmith.testing.board_cases import features_of
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model

OF_ONE = Depthwise((1, 24, 10, 1), (10, 4), 16, stride=(2, 2))


@pytest.mark.parametrize(
    ("case", "op"),
    [
        (OF_ONE, "conv_2d"),
        (replace(OF_ONE, x=(1, 24, 10, 2)), "depthwise_conv_2d"),
        (replace(OF_ONE, multiplier=1), "depthwise_conv_2d"),
        (Depthwise((1, 24, 24, 1), multiplier=4), "depthwise_conv_2d"),  # which costs less
    ],
)
def test_filters_of_one_channel(case: Depthwise, op: str) -> None:
    graph = legal(merged_model([Case("m", case)]), shipped_ops())
    made = decompose(graph, shipped_ops(), features_of("mps2_an386"))
    assert [node.op for node in made.nodes] == [op]

"""Several filters of a channel are a convolution where that costs less."""

from dataclasses import replace

import pytest

from opsmith.build_options import BuildOptions
from opsmith.pipeline import Configuration, rewritten
from opsmith.select.choice import Preferences
from opsmith.testing.board_cases import features_of
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model
from runtimes.families.depthwise_cases import Depthwise, DepthwiseF32

OF_ONE = Depthwise((1, 24, 10, 1), (10, 4), 16, stride=(2, 2))
LAYER = [Case("m", OF_ONE)]
M4F = Configuration(features_of("mps2_an386"))


def ops_of(cases: list[Case], configuration: Configuration = M4F) -> list[str]:
    """Ops of the rewritten nodes of a model."""
    ops = shipped_ops()
    graph = legal(merged_model(cases), ops)
    made = rewritten(graph, ops, configuration)
    return [node.op for node in made.nodes]


@pytest.mark.parametrize(
    ("case", "op"),
    [
        (OF_ONE, "conv_2d"),
        (replace(OF_ONE, x=(1, 24, 10, 2)), "depthwise_conv_2d"),
        (replace(OF_ONE, multiplier=1), "depthwise_conv_2d"),
        (Depthwise((1, 24, 24, 1), multiplier=4), "depthwise_conv_2d"),  # which costs less
        (DepthwiseF32((1, 6, 7, 3), (1, 3, 3, 24), (1, 4, 5, 24)), "conv_2d"),  # of three groups
        (DepthwiseF32((1, 6, 7, 8), (1, 3, 3, 16), (1, 4, 5, 16)), "depthwise_conv_2d"),
    ],
)
def test_several_filters(case: Depthwise | DepthwiseF32, op: str) -> None:
    assert ops_of([Case("m", case)]) == [op]


def test_several_such_layers_share_code_and_stay() -> None:
    assert ops_of([*LAYER, Case("n", OF_ONE)]) == ["depthwise_conv_2d"] * 2


def test_flash_and_named_kernels_come_first() -> None:
    assert ops_of(LAYER, replace(M4F, options=BuildOptions(opt="size"))) == ["depthwise_conv_2d"]
    assert ops_of(LAYER, replace(M4F, preferences=Preferences("dsp_general"))) == [
        "depthwise_conv_2d"
    ]

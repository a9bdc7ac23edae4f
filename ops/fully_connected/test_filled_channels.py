"""Weights of zeros, by which dsp_quads fills up its blocks of channels, have to be bought."""

import pytest

from opsmith.op.constants import table_bytes
from opsmith.select.choice import candidates
from opsmith.testing.board_cases import features_of
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model
from runtimes.families.matmul_cases import MatMul


@pytest.mark.parametrize(
    ("depth", "channels", "growth"), [(1960, 4, 0), (256, 10, 2 * 256), (259, 7, 8 * 260 - 7 * 259)]
)
def test_filled_channels_are_growth(depth: int, channels: int, growth: int) -> None:
    ops = shipped_ops()
    graph = legal(merged_model([Case("m", MatMul((1, depth), channels, y_scale=1.5))]), ops)
    (node,) = graph.nodes
    judged = candidates(graph, node, ops.of(graph, node), frozenset(features_of("mps2_an386")))
    few, quads = (each for each in judged if each.name in ("dsp_few", "dsp_quads"))
    assert (few.growth, quads.growth) == (0, growth)
    assert table_bytes(quads.plan.tables) == table_bytes(few.plan.tables) + growth

"""Tests of layers where the ops' own cases do not reach."""

from pathlib import Path

import numpy as np

from opsmith.op.channels import full_range
from opsmith.op.kernel import Plan
from opsmith.op.node import view
from opsmith.pipeline import Reading, read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from runtimes.core.exceptions import MANY_EXCEPTIONS
from runtimes.families.layer_variants import keep_channels, live_channels
from runtimes.families.matmul import MATMUL


def test_channels_of_a_bias_keep_their_scales(tmp_path: Path) -> None:
    m, scales = ModelWriter(), [0.1, 0.2, 0.3]
    x = m.input("x", (1, 4), "int8", 0.5)
    weights = m.constant("weights", np.arange(1, 13, dtype=np.int8).reshape(3, 4), scales, axis=0)
    bias = m.constant("bias", np.array([7, 8, 9], np.int32), [s / 2 for s in scales], axis=0)
    m.output(m.value("FULLY_CONNECTED", [x, weights, bias], m.tensor("y", (1, 3), "int8", 0.5)))
    (tmp_path / "m.tflite").write_bytes(m.bytes())
    ops = shipped_ops()
    graph = read(tmp_path / "m.tflite", "m", ops)[1]
    node = view(graph, graph.nodes[0], ops["fully_connected"])
    live = {node["x"].id: np.zeros(4, np.bool_), node["y"].id: np.array([True, False, True])}
    ranges = {tensor.id: full_range(tensor) for tensor in (node["x"], node["y"])}
    live = dict(live_channels(MATMUL, node, live, ranges))
    for name, tensor in keep_channels(MATMUL, node, live, ranges).items():
        assert tensor.shape[0] == 2, name
        assert tensor.quantization is not None
        expected = [s / (2 if name == "bias" else 1) for s in (scales[0], scales[2])]
        np.testing.assert_allclose(tensor.quantization.scales, expected, rtol=1e-6)


def test_a_layer_of_many_exceptions_is_left_to_kernels_without(tmp_path: Path) -> None:
    m, scale = ModelWriter(), 2.0**-10
    x, y = m.input("x", (1, 32), "int8", 0.5), m.tensor("y", (1, 4), "int8", 0.5)
    weights = m.constant("weights", np.full((4, 32), 100, np.int8), scale)
    m.node("FULLY_CONNECTED", [x, weights, m.constant("b", np.zeros(4, np.int32), scale / 2)], [y])
    m.output(y)
    (tmp_path / "m.tflite").write_bytes(m.bytes())
    ops = shipped_ops()
    graph = read(tmp_path / "m.tflite", "m", ops, Reading(numerics="tflm"))[1]
    node = view(graph, graph.nodes[0], ops["fully_connected"])
    plans = {k.name: k.plan(node) for v in ops["fully_connected"].variants[:1] for k in v.kernels}
    assert plans["dsp_listed"] == MANY_EXCEPTIONS
    assert isinstance(plans["fixed_point"], Plan)

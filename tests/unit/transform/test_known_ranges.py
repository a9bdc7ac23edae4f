"""Ranges and needs that are kept from graph to graph are those that would be derived anew."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Constant, Graph
from opsmith.op import channels
from opsmith.op.channels import Masks, Range, Ranges
from opsmith.op.index import index
from opsmith.op.view import NodeView
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from opsmith.transform.channel_ranges import KnownRanges, channel_ranges
from opsmith.transform.live_channels import KnownNeeds, live_channels
from opsmith.transform.remove_channels import remove_channels
from tests.programs import stored
from tests.unit.transform.test_remove_channels import LOW, OFF, ON, SCALE, convolution


def two_layers(folder: Path) -> Graph:
    model = ModelWriter()
    x = model.input("x", (1, 4, 4, 3), "int8", [SCALE], [LOW])
    model.output(convolution(model, convolution(model, x, [ON, ON]), [ON, ON, ON]))
    return read(stored(model, folder, "two"), "two", shipped_ops())[1]


def assert_same(found: dict[str, Range], wanted: dict[str, Range]) -> None:
    assert found.keys() == wanted.keys()
    for name, each in wanted.items():
        np.testing.assert_array_equal(found[name].low, each.low)
        np.testing.assert_array_equal(found[name].high, each.high)


def test_equal_nodes_keep_their_ranges(tmp_path: Path) -> None:
    graph, known = two_layers(tmp_path), KnownRanges()
    before = channel_ranges(graph, shipped_ops(), known)
    after = channel_ranges(replace(graph), shipped_ops(), known)
    assert all(after[name] is each for name, each in before.items())


def test_nodes_made_anew_keep_their_ranges_unless_their_attributes_change(tmp_path: Path) -> None:
    graph, known = two_layers(tmp_path), KnownRanges()
    before = channel_ranges(graph, shipped_ops(), known)
    first, last = (replace(node, remarks=("seen",)) for node in graph.nodes)
    after = channel_ranges(replace(graph, nodes=(first, last)), shipped_ops(), known)
    assert all(after[name] is each for name, each in before.items())
    clamped = replace(first, attributes={**first.attributes, "clamp": (-3, 3)})
    after = channel_ranges(replace(graph, nodes=(clamped, last)), shipped_ops(), known)
    assert after[first.outputs[0]].high.max() == 3


def test_another_constant_changes_what_follows_from_it(tmp_path: Path) -> None:
    graph, known = two_layers(tmp_path), KnownRanges()
    before = channel_ranges(graph, shipped_ops(), known)
    bias = graph.tensors[graph.nodes[0].inputs[2] or ""]
    other = replace(bias, constant=Constant(bias.data + OFF))
    changed = replace(graph, tensors={**graph.tensors, bias.id: other})
    found = channel_ranges(changed, shipped_ops(), known)
    assert_same(found, channel_ranges(changed, shipped_ops()))
    last = graph.outputs[0]
    assert (found[last].high != before[last].high).any()


def test_needs_of_equal_nodes_are_asked_once_and_those_of_changed_ones_again(
    tmp_path: Path,
) -> None:
    graph, ops, known = two_layers(tmp_path), shipped_ops(), KnownNeeds()
    ranges = channel_ranges(graph, ops)
    before = live_channels(graph, ops, ranges, known)

    def needs(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
        raise AssertionError(f"{node.name} is asked again")

    channels = replace(ops["conv_2d"].hooks.channels, live=needs)
    op = replace(ops["conv_2d"], hooks=replace(ops["conv_2d"].hooks, channels=channels))
    again = index([ops.by_name["conv_2d"].changed(op)])
    found = live_channels(replace(graph), again, ranges, known)
    assert all(np.array_equal(mask, before[name]) for name, mask in found.items())
    weights = graph.tensors[graph.nodes[1].inputs[1] or ""]
    data = weights.data.copy()
    data[..., 0] = 0
    other = replace(weights, constant=Constant(data))
    changed = replace(graph, tensors={**graph.tensors, weights.id: other})
    found = live_channels(changed, ops, ranges, known)
    wanted = live_channels(changed, ops, ranges)
    assert all(np.array_equal(mask, wanted[name]) for name, mask in found.items())
    inner = graph.nodes[0].outputs[0]
    assert not np.array_equal(found[inner], before[inner])


def test_of_millions_of_channels_nothing_is_derived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, ops = ModelWriter(), shipped_ops()
    x = model.input("x", (1, 4, 4, 3), "int8", [SCALE], [LOW])
    model.output(convolution(model, convolution(model, x, [ON, OFF]), [ON]))
    graph = read(stored(model, tmp_path, "dead"), "dead", ops)[1]
    assert remove_channels(graph, ops) != graph
    monkeypatch.setattr(channels, "MOST_CHANNELS", 3)
    assert remove_channels(graph, ops) is graph
    ranges = channel_ranges(graph, ops)
    written = [ranges[name] for node in graph.nodes for name in node.outputs]
    assert not any(each.constant.any() for each in written)

"""The benchmark sets nodes beside the layers that they compute, whatever was fused or removed."""

from typing import Any

import pytest

from tests.bench.layers import Layer, compare
from tests.bench.peers import Row, read_peers

M4 = "cortex-m4f"
FIGURES = ("instructions", "modelled_cycles")


def node(source: int, cycles: int, *remarks: str) -> dict[str, Any]:
    name = f"operator {source} (CONV_2D)"
    return {"source": name, "remarks": remarks, "instructions": 1, "modelled_cycles": cycles}


def rows(*names: str) -> list[Row]:
    figures = {M4: {"instructions": 10, "modelled_cycles": 20}, "cortex-m55": {"instructions": 5}}
    return [Row(name, "1x2", figures) for name in names]


def found(nodes: list[dict[str, Any]], *names: str) -> list[tuple[tuple[int, ...], int, int]]:
    layers = compare(nodes, rows(*names), M4, FIGURES)
    return [
        (each.operators, each.ours["modelled_cycles"], each.peers["modelled_cycles"])
        for each in layers
    ]


def test_a_node_is_a_layer() -> None:
    assert found([node(0, 7), node(1, 9)], "CONV_2D", "ADD") == [((0,), 7, 20), ((1,), 9, 20)]


def test_what_a_node_took_in_is_set_beside_the_sum() -> None:
    nodes = [node(0, 7), node(1, 9, "ADD of operator 3 (ADD) fused"), node(2, 5)]
    names = ("CONV_2D", "CONV_2D", "CONV_2D", "ADD")
    assert found(nodes, *names) == [((0,), 7, 20), ((1, 3), 9, 40), ((2,), 5, 20)]


def test_what_no_node_names_goes_with_what_is_in_front() -> None:
    assert found([node(0, 7), node(2, 9)], "CONV_2D", "RESHAPE", "SOFTMAX") == [
        ((0, 1), 7, 40),
        ((2,), 9, 20),
    ]
    assert found([node(1, 7)], "PAD", "CONV_2D", "RESHAPE") == [((0, 1, 2), 7, 60)]


def test_what_became_several_nodes_is_their_sum() -> None:
    assert found([node(0, 7), node(0, 2), node(1, 1)], "A", "B") == [((0,), 9, 20), ((1,), 1, 20)]


def test_a_layer_is_worse_in_what_takes_more() -> None:
    layer = Layer((0,), "", {"instructions": 5, "modelled_cycles": 9}, {"instructions": 5} | {
        "modelled_cycles": 8
    })  # fmt: skip
    assert layer.worse == ("modelled_cycles",)


def test_layers_have_the_figures_that_both_have() -> None:
    nodes = [node(0, 7)]
    (layer,) = compare(nodes, rows("CONV_2D"), "cortex-m55", FIGURES)
    assert (dict(layer.ours), dict(layer.peers)) == ({"instructions": 1}, {"instructions": 5})
    assert compare(nodes, rows("CONV_2D"), "cortex-m7d", FIGURES) == []
    assert compare(nodes, [], M4, FIGURES) == []


def test_another_model_than_the_peers_is_not_compared() -> None:
    with pytest.raises(ValueError, match="the peer has 1 layers, the model more"):
        compare([node(0, 7), node(1, 7)], rows("CONV_2D"), M4, FIGURES)


def test_the_peers_layers_are_nearly_all_of_it() -> None:
    peers = read_peers()
    layered = {name: model for name, model in peers.models.items() if model.rows}
    assert len(peers.models) == 17
    assert len(layered) == 11
    for name, model in layered.items():
        for core, figures in model.rows[0].figures.items():
            for figure in figures:
                layers = sum(row.figures[core][figure] for row in model.rows)
                total = model.figures[core][figure]
                assert 0.98 * total < layers < 1.001 * total, (name, core, figure, layers / total)

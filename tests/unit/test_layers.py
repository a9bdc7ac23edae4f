"""The benchmark sets nodes beside the layers that they compute, whatever was fused or removed."""

from __future__ import annotations

from typing import Any

from tests.bench.layers import FIGURES, Layer, compare, peer_figures, whole

M4 = "cortex-m4f"


def node(source: int, cycles: int, *remarks: str) -> dict[str, Any]:
    name = f"operator {source} (CONV_2D)"
    return {"source": name, "remarks": remarks, "instructions": 1, "modelled_cycles": cycles}


def rows(*names: str) -> list[list[Any]]:
    return [[name, "1x2", 0, 10, 20, 5] for name in names]


def found(nodes: list[dict[str, Any]], *names: str) -> list[tuple[tuple[int, ...], int, int]]:
    layers = compare(nodes, rows(*names), M4)
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


def test_the_peers_layers_are_nearly_all_of_it() -> None:
    peers = peer_figures()
    models = [name for name, value in peers.items() if isinstance(value, dict)]
    assert len(models) == 5
    for name in models:
        for core, places in FIGURES.items():
            for figure, total in whole(peers[name], core).items():
                layers = sum(row[places[figure]] for row in peers[name]["layers"])
                assert 0.99 * total < layers < total, (name, core, figure)

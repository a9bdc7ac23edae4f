"""Of the ways to push rows, the one is taken whose plan is smallest; few plans are searched for."""

from dataclasses import replace

import pytest

from opsmith.ir import Graph, MemoryPlan
from opsmith.schedule.ram_trade import smallest
from opsmith.testing.known_ops import known_ops

# By its name, what a plan of a graph takes: at first look, after a search, and at least.
Sizes = dict[str, tuple[int, int, int]]


@pytest.mark.parametrize(("sizes", "best", "searched"), [
    ({"a": (9, 8, 5), "b": (10, 7, 6), "c": (11, 9, 7)}, "b", "ab"),  # c cannot be better
    ({"a": (9, 8, 5), "b": (10, 9, 8), "c": (11, 6, 6)}, "c", "ac"),
    ({"a": (12, 5, 4), "b": (10, 7, 3), "c": (11, 7, 6)}, "a", "bca"),
    ({"a": (9, 8, 5), "b": (10, 8, 5)}, "a", "ab"),  # the first look decides
    ({"a": (9, 8, 1), "b": (9, 8, 1), "c": (9, 8, 1), "d": (10, 2, 1)}, "a", "abc"),
])  # fmt: skip
def test_the_smallest_is_taken(sizes: Sizes, best: str, searched: str) -> None:
    looked: list[str] = []

    def planned(graph: Graph, *, search: bool = True) -> Graph:
        look, size, least = sizes[graph.name]
        looked.extend(graph.name if search else "")
        return replace(
            graph, plan=MemoryPlan({}, {"ram": size if search else look}, 16, {"ram": least})
        )

    graphs = [Graph(name, {}, (), (), ()) for name in sizes]
    assert smallest(graphs, planned, known_ops([])).name == best
    assert "".join(looked) == searched

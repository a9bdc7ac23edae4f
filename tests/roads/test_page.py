"""The page of roads and recipes has what the commands print."""

from tests.recipes.__main__ import RECIPES
from tests.roads.__main__ import ROADS, Found
from tests.roads.page import PAGE, table


def test_figures_are_cells_and_a_reason_takes_their_place() -> None:
    found = Found(10208, 13824, 79695, 0.975, 0, exact=True)
    rows = table("road", [("a", found.line), ("b", "  refused: x y z 1 2 yes")]).splitlines()
    assert rows[2:] == [
        "| a | 10,208 | 13,824 | 79,695 | 97.5% | 0 | yes |",
        "| b | refused: x y z 1 2 yes |  |  |  |  |  |",
    ]


def test_every_road_and_recipe_has_a_row() -> None:
    rows = [line.split(" | ")[0] for line in PAGE.read_text("utf-8").splitlines()]
    assert {f"| {road.name}" for road in ROADS} | {f"| {name}" for name in RECIPES} <= {*rows}

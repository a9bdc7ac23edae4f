"""The benchmark of rules flags firmware that the notebook's rule makes slow or large."""

from __future__ import annotations

import pytest

from tests.bench.rules import CORES, SHOWN, Cost, compared, table


@pytest.mark.parametrize(
    ("notebook", "dear"),
    [
        (Cost(1020, 1010), False),
        (Cost(1021, 1000), True),
        (Cost(900, 1011), True),
    ],
)
def test_a_line_is_flagged_beyond_the_limits(notebook: Cost, dear: bool) -> None:
    line, found = compared(Cost(1000, 1000), notebook)
    assert found is dear
    assert line.endswith("<") is dear


def test_the_table_has_the_percent_of_each_core() -> None:
    model, board = [*SHOWN][1], [*CORES][2]
    lines = table({(model, board): (Cost(1000, 1000), Cost(1021, 990))}).splitlines()
    assert len(lines) == 2 + 2 * len(CORES)
    assert lines[4].split("|")[1:4] == [f" {CORES[board]} ", "  ", " +2.1 "]
    assert lines[4 + len(CORES)].split("|")[1:4] == [f" flash, {CORES[board]} ", "  ", " -1.0 "]

"""The benchmark of rules flags firmware that the notebook's rule makes slow or large."""

import pytest

from tests.bench.rules import CORES, SHOWN, Cost, cells, compared, percent, table


@pytest.mark.parametrize(("notebook", "dear"), [
    (Cost(1020, 1010), False),
    (Cost(1021, 1000), True),
    (Cost(900, 1011), True),
])  # fmt: skip
def test_a_line_is_flagged_beyond_the_limits(notebook: Cost, dear: bool) -> None:
    line, found = compared(Cost(1000, 1000), notebook)
    assert found is dear
    assert line.endswith("<") is dear


def test_the_table_has_what_was_measured_and_keeps_the_rest() -> None:
    model, (first, second) = [*SHOWN][1], [*CORES][:2]
    found = {(model, first): percent(Cost(1000, 1000), Cost(1021, 990))}
    lines = table(found).splitlines()
    assert len(lines) == 2 + len(SHOWN)
    assert lines[3].split("|")[1:4] == [f" {SHOWN[model]} ", " +2.1, -1.0 ", "  "]
    assert cells(table(found)) == found
    assert cells(table(found | {(model, second): "-"})) == {**found, (model, second): "-"}

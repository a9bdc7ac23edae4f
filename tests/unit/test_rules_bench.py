"""The benchmark of rules flags firmware that the notebook's rule makes slow or large."""

from __future__ import annotations

import pytest

from tests.bench.rules import Cost, compared


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

"""What a build says of nodes that run row by row, and of what a budget could have."""

from typing import Any

from opsmith.report.rows import rows_lines

ROWS = {"first": "conv", "last": "pool", "nodes": 3}


def trade(size: int, instructions: int, rows: Any, taken: bool = False) -> dict[str, Any]:
    return {"bytes": size, "instructions": instructions, "rows": rows, "taken": taken}


def test_nothing_is_said_where_nothing_was_weighed() -> None:
    assert [*rows_lines({"ram": {"rows": None, "curve": []}})] == []
    alone = [trade(2_000, 100, None, taken=True)]
    assert [*rows_lines({"ram": {"rows": None, "curve": alone}})] == []


def test_what_is_taken_and_what_could_be() -> None:
    one = ROWS | {"last": "conv", "nodes": 1}
    curve = [trade(20_000, 1000, None), trade(9_000, 1015, ROWS), trade(5_000, 1100, one)]
    whole = {"rows": None, "curve": [curve[0] | {"taken": True}, *curve[1:]]}
    others = "9,000 B with about +1.5% cycles; 5,000 B with about +10.0% cycles"
    assert [*rows_lines({"models": [{"name": "kws", "ram": whole}]})] == [
        f"  ram_budget= could have, row by row: {others}, kws"
    ]
    many = {"rows": ROWS, "curve": [curve[0], curve[1] | {"taken": True}]}
    assert [*rows_lines({"ram": many})] == [
        "  3 nodes, conv to pool, run row by row: 9,000 B with about +1.5% cycles; "
        "whole tensors take 20,000 B"
    ]
    single = {"rows": one, "curve": [curve[0], curve[2] | {"taken": True}]}
    (line,) = rows_lines({"ram": single})
    assert line.startswith("  conv runs row by row: 5,000 B with about +10.0% cycles; ")

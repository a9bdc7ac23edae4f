"""The tables of README.md: what is in them, and where they go."""

from __future__ import annotations

import pytest

from opsmith.board.manifest import list_boards
from opsmith.errors import ToolchainError
from opsmith.report.tables import BEGIN, END, board_table, departure_table, with_tables
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops

MARKS = {what: (BEGIN.format(what), END.format(what)) for what in ("boards", "ops", "departures")}


@pytest.mark.slow
def test_a_board_says_its_memories_and_where_it_runs() -> None:
    rows = board_table(list_boards([ROOT / "boards"])).splitlines()
    (host,) = (row for row in rows if row.startswith("| `host`"))
    (stm32,) = (row for row in rows if row.startswith("| `stm32f405`, `stm32`"))
    (nucleo,) = (row for row in rows if row.startswith("| `nucleo_l4r5zi`"))
    assert host.endswith("| host | | on this machine |")
    where = "in QEMU (`netduinoplus2`) or on the board"
    assert stm32.endswith(f"| cortex-m4f | flash 1M, ram 128K, ccm 64K | {where} |")
    assert nucleo.endswith("| on the board |")


def test_tables_go_between_their_marks() -> None:
    parts = ("old\n".join(MARKS[what]) for what in ("boards", "ops", "departures"))
    old = "a\n" + "b\n".join(parts) + "c\n"
    text = with_tables(old, [], [])
    assert text.startswith(f"a\n{MARKS['boards'][0]}\n| `board=` ")
    assert f"|---|---|---|\n\n{MARKS['ops'][1]}b\n" in text
    assert text.endswith(f"{MARKS['departures'][1]}c\n")
    assert "old" not in text
    assert with_tables(text, [], []) == text


@pytest.mark.parametrize("mark", [mark for pair in MARKS.values() for mark in pair])
def test_a_missing_mark_is_an_error(mark: str) -> None:
    text = "".join(mark for pair in MARKS.values() for mark in pair)
    with pytest.raises(ToolchainError, match="BLD003"):
        with_tables(text.replace(mark, ""), [], [])


def test_what_an_op_departs_in_is_one_row_of_those_that_do() -> None:
    rows = departure_table(shipped_ops().by_name.values()).splitlines()
    (row,) = (row for row in rows if "an integer divided by zero" in row)
    assert row == "| `div`, `floor_div`, `floor_mod` | an integer divided by zero | fails | 0 |"
    assert sum(row.startswith("| control flow |") for row in rows) == 5

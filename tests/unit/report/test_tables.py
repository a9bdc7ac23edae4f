"""The tables of README.md: what is in them, and where they go."""

from __future__ import annotations

import pytest

from opsmith.board.manifest import list_boards
from opsmith.errors import ToolchainError
from opsmith.report.tables import BEGIN, END, board_table, with_tables
from opsmith.testing.checkout import ROOT

MARKS = {what: (BEGIN.format(what), END.format(what)) for what in ("boards", "ops")}


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
    old = "a\n" + "old\n".join(MARKS["boards"]) + "b\n" + "old\n".join(MARKS["ops"]) + "c\n"
    text = with_tables(old, [], [])
    assert text.startswith(f"a\n{MARKS['boards'][0]}\n| `board=` ")
    assert text.endswith(f"|---|---|---|\n\n{MARKS['ops'][1]}c\n")
    assert "old" not in text
    assert with_tables(text, [], []) == text


@pytest.mark.parametrize("mark", [mark for pair in MARKS.values() for mark in pair])
def test_a_missing_mark_is_an_error(mark: str) -> None:
    text = "".join(mark for pair in MARKS.values() for mark in pair)
    with pytest.raises(ToolchainError, match="BLD003"):
        with_tables(text.replace(mark, ""), [], [])

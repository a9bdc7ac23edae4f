"""Table of boards: what is in it, and where it goes."""

import pytest

from opsmith.board.manifest import list_boards
from opsmith.contract.field_comments import field_comments
from opsmith.errors import ToolchainError
from opsmith.report.pages import OWNERS, departures_page, documented, fields_page
from opsmith.report.tables import BEGIN, END, board_table, with_boards
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops


@pytest.mark.slow
def test_a_board_says_its_memories_and_where_it_runs() -> None:
    rows = board_table(list_boards([ROOT / "boards"])).splitlines()
    (host,) = (row for row in rows if row.startswith("| `host`"))
    (stm32,) = (row for row in rows if row.startswith("| `stm32f405`, `stm32`"))
    (nucleo,) = (row for row in rows if row.startswith("| `nucleo_l4r5zi`"))
    assert host.endswith("| host | | on this machine | built, run |")
    where = "in QEMU (`netduinoplus2`) or on the board"
    assert stm32.endswith(
        f"| cortex-m4f | flash 1M, ram 128K, ccm 64K | {where} | built, traced, emulated |"
    )
    assert nucleo.endswith("| on the board | built, traced |")


def test_the_table_goes_between_its_marks() -> None:
    text = with_boards(f"a\n{BEGIN}old\n{END}c\n", [])
    assert text.startswith(f"a\n{BEGIN}\n| `board=` ")
    assert text.endswith(f"|---|---|---|---|---|\n\n{END}c\n")
    assert "old" not in text
    assert with_boards(text, []) == text


@pytest.mark.parametrize("mark", [BEGIN, END])
def test_a_missing_mark_is_an_error(mark: str) -> None:
    with pytest.raises(ToolchainError, match="BLD003"):
        with_boards(f"{BEGIN}{END}".replace(mark, ""), [])


def test_what_an_op_departs_in_is_one_row_of_those_that_do() -> None:
    rows = departures_page(shipped_ops().by_name.values()).splitlines()
    (row,) = (row for row in rows if "an integer divided by zero" in row)
    assert row == "| `div`, `floor_div`, `floor_mod` | an integer divided by zero | fails | 0 |"
    assert sum(row.startswith("| control flow |") for row in rows) == 6


@pytest.mark.parametrize("owner", [each for group in OWNERS.values() for each in group])
def test_each_field_of_ops_kernels_and_hooks_says_what_it_is(owner: type) -> None:
    meanings = field_comments(owner)
    assert [name for name in documented(owner) if not meanings.get(name)] == []
    assert max(len(meanings[name].split()) for name in documented(owner)) <= 40
    assert all(f"| `{name}` | {meanings[name]} |" in fields_page() for name in documented(owner))

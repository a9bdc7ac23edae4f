"""Energy says whether it was measured, and its error; published currents are of known parts."""

import dataclasses
from pathlib import Path

import pytest

from opsmith.board.current import Current, current_of
from opsmith.board.describe import Board
from opsmith.board.manifest import list_boards, load_board
from opsmith.home import RUNTIMES
from opsmith.report.energy import ESTIMATE, estimated, measured
from opsmith.testing.checkout import ROOT
from tests.refusals import refusal

BOARDS = [ROOT / "boards"]
NRF = Current(52, 98, 3.0, "its specification")


def test_an_estimate_is_current_by_voltage_by_cycles_with_its_error() -> None:
    found = estimated(2_000_000, NRF, modelled=True)
    assert found is not None
    assert found.by == ESTIMATE
    assert found.microjoules == pytest.approx(75e-12 * 3 * 2e6 * 1e6)  # of 52 and 98 pC a cycle
    assert found.error == pytest.approx(23 / 75)
    assert found.text == (
        "about 450 µJ ± 31%, an estimate: 2,000,000 modelled cycles, without wait states, which "
        "take more, at 52 to 98 µA/MHz and 3 V (its specification)"
    )


def test_an_estimate_without_a_worse_case_is_the_least() -> None:
    found = estimated(1_000_000, dataclasses.replace(NRF, most=None), modelled=False)
    assert found is not None
    assert found.error is None
    assert found.text.startswith("at least 156 µJ, an estimate: 1,000,000 cycles at 52 µA/MHz")


def test_nothing_is_estimated_without_a_published_current() -> None:
    assert estimated(1_000_000, None, modelled=True) is None
    assert current_of(load_board("mps2_an386", BOARDS)) is None
    assert current_of(load_board("host", BOARDS)) is None


def test_a_meter_gives_the_median_and_half_the_spread() -> None:
    found = measured("PPK2", [100.0, 104.0, 101.0])
    assert found.text == "101 µJ ± 2.0% by PPK2: the median of 3 inferences"


@pytest.mark.slow
def test_published_currents_are_of_parts_that_there_are() -> None:
    boards = {each.setup.part: each for each in list_boards(BOARDS) if each.setup}
    for file in RUNTIMES.glob("mcu/*/currents.toml"):
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("["):
                found = current_of(boards[line.strip("[]")])
                assert found is not None
                assert found.source


@pytest.mark.parametrize(("text", "code"), [
    ("least = 9\nvolts = 3", "BRD003"),
    ('least = 9\nvolts = 3\nsource = "x"\nmots = 12', "BRD002"),
    ('least = 9\nmost = 8\nvolts = 3\nsource = "x"', "BRD004"),
    ('least = "9"\nvolts = 3\nsource = "x"', "BRD004"),
    ('least = 9\nsource = "x"', "BRD004"),
    ("least = ", "BRD001"),
])  # fmt: skip
def test_currents_that_are_none_are_refused(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "currents.toml").write_text(f"[nrf52840]\n{text}\n")
    assert refusal(current_of, _elsewhere(tmp_path)).problems[0].code == code


def _elsewhere(folder: Path) -> Board:
    board = load_board("nrf52840dk", BOARDS)
    assert board.family is not None
    family = dataclasses.replace(board.family, file=folder / "family.toml")
    return dataclasses.replace(board, family=family)

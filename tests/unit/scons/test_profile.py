"""`profile` says before it begins what it cannot do."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from opsmith.applications import APPS
from opsmith.board.cores import CORES
from opsmith.board.manifest import load_board
from opsmith.build_options import RUNNER
from opsmith.errors import ToolchainError
from opsmith.scons.profile import check_application, check_meter, counting_plugin
from opsmith.scons.settings import read_settings
from opsmith.scons.target import Target

ROOT = Path(__file__).resolve().parents[3]


def test_without_a_compiler_for_this_machine_it_names_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(
        ToolchainError, match="install -y --no-install-recommends g\\+\\+"
    ) as raised:
        counting_plugin(None, CORES["host"].architecture)
    assert raised.value.problems[0].code == "BLD010"


def test_it_needs_the_application_that_answers() -> None:
    check_application(read_settings({}, ROOT))
    assert (ROOT / APPS / RUNNER / "main.cc").is_file()
    with pytest.raises(
        ToolchainError, match="'bench' does not answer.*[\\s\\S]*leave app= out"
    ) as raised:
        check_application(read_settings({"app": "bench"}, ROOT))
    assert raised.value.problems[0].code == "BLD006"
    with pytest.raises(ToolchainError, match="profile what ships; leave guards= out"):
        check_application(read_settings({"guards": "1"}, ROOT))


def test_it_runs_no_model_that_is_fed_row_by_row() -> None:
    with pytest.raises(ToolchainError, match="leave stream= out") as raised:
        check_application(read_settings({"stream": "rows"}, ROOT))
    assert raised.value.problems[0].code == "BLD006"


@pytest.mark.parametrize(
    ("board", "attached", "says"),
    [("nrf52dk", False, "name its port"), ("mps2_an386", True, "give 'led'")],
)
def test_a_meter_needs_a_board_and_its_led(board: str, attached: bool, says: str) -> None:
    target = cast(Target, SimpleNamespace(board=load_board(board, [ROOT / "boards"])))
    settings = read_settings({"meter": "ppk2"}, ROOT)
    with pytest.raises(ToolchainError, match=says) as raised:
        check_meter(settings, target, attached=attached)
    assert raised.value.problems[0].code == "BLD006"
    check_meter(read_settings({}, ROOT), target, attached=attached)

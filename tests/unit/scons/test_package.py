"""The variant of a package says what another board with the same core would not have."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opsmith.board.describe import ArenaRule
from opsmith.board.manifest import load_board
from opsmith.board.runtime import SHIPPED, load_runtime
from opsmith.build_options import BuildOptions
from opsmith.commands.package import of_board
from opsmith.scons.package import told_apart

BOARDS = Path(__file__).parents[3] / "boards"


@pytest.mark.parametrize("folder", sorted(BOARDS.glob("*/board.toml")), ids=lambda f: f.parent.name)
def test_a_core_s_usual_runtime_needs_no_word(folder: Path) -> None:
    board = load_board(folder.parent.name, [BOARDS])
    runtime = load_runtime(board.runtime, SHIPPED)
    expected = ["runtime-gpu", "board-host_gpu"] if runtime.devices else []
    assert told_apart(BuildOptions(), board, runtime) == expected


def test_a_board_whose_own_runtime_is_another_has_another_package() -> None:
    board = replace(load_board("stm32f405", [BOARDS]), runtime="reference")
    runtime = load_runtime("reference", SHIPPED)
    assert told_apart(BuildOptions(), board, runtime) == ["runtime-reference"]


def test_a_board_whose_memories_decide_has_another_package() -> None:
    board, runtime = load_board("stm32f405", [BOARDS]), load_runtime("cmsis", SHIPPED)
    own, speed = ["board-stm32f405"], BuildOptions(opt="speed")
    assert told_apart(speed, board, runtime) == own
    assert told_apart(replace(speed, flash_budget=65536), board, runtime) == []
    placed = replace(board, arena=(ArenaRule("ccm"),))
    assert told_apart(BuildOptions(), placed, runtime) == own
    assert told_apart(BuildOptions(arena="caller"), placed, runtime) == []


def test_constants_that_moved_name_the_board() -> None:
    moved: dict[str, Any] = {"constants": {"moved": [{}]}}
    stayed: dict[str, Any] = {"constants": {"moved": []}}
    assert of_board("default", "h7", moved) == "board-h7"
    assert of_board("runtime-reference+size", "h7", moved) == "board-h7+runtime-reference+size"
    assert of_board("board-h7+speed", "h7", moved) == "board-h7+speed"
    assert {of_board("default", "h7", model) for model in (stayed, {})} == {"default"}
    short = {"ram": {"rows": {"nodes": 2}}, "ram_budget": {"asked": False}}
    assert of_board("default", "h7", {"models": [{}, short]}) == "board-h7"
    assert of_board("default", "h7", short | {"ram_budget": {"asked": True}}) == "default"

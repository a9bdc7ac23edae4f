"""matrix.toml: every combination is a cell, and all that is wrong is said at once."""

from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.matrix.plan import FigureLimit, read_plan
from tests.refusals import refusal

WHOLE = """\
models = ["a.tflite", "b.tflite"]
boards = ["host", "stm32"]
opts = ["balanced", "size"]
against = "last"

[variables]
debug = false

[data]
"b.tflite" = "b.npz"

[[exclude]]
board = "host"
opt = "size"

[thresholds]
flash = "1.5%"
ram = 256
accuracy = 0.00001
"""
WRONG = """\
modles = ["a.tflite"]
boards = "host"
against = 3
exclude = [{ boat = "host" }, {}]
[variables]
model = "a.tflite"
debug = [1]
most = 1e400
[data]
"x.tflite" = 5
[thresholds]
exact = 1
ram = "1 %"
flash = -1
accuracy = true
"""


MANY = [*map(str, range(320))]


def plan_of(folder: Path, text: str) -> Path:
    """Path of a matrix.toml with the given text."""
    file = folder / "matrix.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_cells_are_all_combinations_but_those_left_out(tmp_path: Path) -> None:
    plan = read_plan(plan_of(tmp_path, WHOLE))
    assert len(plan.cells) == 6
    assert plan.cells[0].variables == {
        "model": "a.tflite",
        "board": "host",
        "opt": "balanced",
        "debug": "0",
    }
    assert plan.cells[-1].name == "model=b.tflite board=stm32 opt=size"
    assert plan.cells[-1].variables["data"] == "b.npz"
    assert plan.thresholds == {
        "flash": FigureLimit(share=0.015),
        "ram": FigureLimit(number=256),
        "accuracy": FigureLimit(number=0.00001),
    }
    assert plan.thresholds["flash"].allows(15, 1000)
    assert not plan.thresholds["flash"].allows(16, 1000)


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    caught = refusal(read_plan, plan_of(tmp_path, WRONG))
    said = [each.what for each in caught.problems]
    assert {each.code for each in caught.problems} == {"BLD130"}
    assert said == [
        "'boards' is 'host', not a list",
        "'model' is no variable of every cell",
        "'variables.debug' is [1]",
        "'variables.most' is inf",
        "unknown key 'data.x.tflite'",
        "unknown key 'exclude[0].boat' (did you mean 'board'?)",
        "an [[exclude]] is empty",
        "'thresholds.flash' is -1",
        "'thresholds.ram' is '1 %'",
        "'thresholds.accuracy' is True",
        "unknown key 'thresholds.exact'",
        "'against' is 3, not a text",
        "unknown key 'modles' (did you mean 'models'?)",
    ]


@pytest.mark.parametrize(("text", "sentence"), [
    ("models = [", "cannot be read"),
    ('models = ["a"]', "it has no cells"),
    ('models = ["a\\u0007"]', "characters that do not show"),
    (f'models = ["a"]\nboards = {MANY}\nopts = {MANY}', "it has too many cells"),
])  # fmt: skip
def test_a_file_without_cells_is_an_error(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ToolchainError, match=f"BLD130.*({sentence})"):
        read_plan(plan_of(tmp_path, text))

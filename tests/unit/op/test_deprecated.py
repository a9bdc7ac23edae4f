"""What the next version of the op API will not have is announced where op folders use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.contract import deprecated
from opsmith.contract.deprecated import Deprecated, deprecation_problems
from tests.unit.op.folders import GOOD, write

FIELD = Deprecated("opsmith.op", "Attribute", 2, "write initial=1", field="default")
NAME = Deprecated("opsmith.op", "every_node", 2, "write of_every_node(params)")
STAR = "from opsmith.op import *"
NAMED = "from opsmith.op import Attribute as Given, Input, Kernel, Op, Output, Rename, Variant"
EXPLICIT = GOOD.replace(STAR, f"{NAMED}, every_node, i8").replace("Attribute(", "Given(")


def uses(folder: Path, *known: Deprecated) -> list[tuple[int, str]]:
    """The line and the sentence of each use."""
    found = list(deprecation_problems(folder, known))
    assert {each.code for each in found} <= {"OPS086"}
    return [(int(each.where.rpartition(":")[2]), each.what) for each in found]


@pytest.mark.parametrize("text", [GOOD, EXPLICIT], ids=["star", "explicit"])
def test_each_use_is_named_with_its_line(text: str, tmp_path: Path) -> None:
    folder, lines = write(tmp_path, text=text), text.splitlines()
    (field,), (name,) = uses(folder, FIELD), uses(folder, NAME)
    assert field[1] == "Attribute(default=…) is not part of version 2 of the op API"
    assert "default=1" in lines[field[0] - 1]
    assert name[1] == "opsmith.op.every_node is not part of version 2 of the op API"
    assert "every_node" in lines[name[0] - 1]


@pytest.mark.parametrize(
    ("importing", "module"),
    [
        ("import opsmith.op", "opsmith.op"),
        ("import opsmith.op as api", "api"),
        ("from opsmith import op as api", "api"),
    ],
)
def test_uses_by_the_name_of_a_module_count(importing: str, module: str, tmp_path: Path) -> None:
    text = f"{importing}\nx = {module}.Attribute(\n    default=1)\ny = {module}.every_node\n"
    (tmp_path / "op.py").write_text(text, encoding="utf-8")
    assert {line for line, _ in uses(tmp_path, FIELD, NAME)} == {3, 4}


def test_what_has_the_same_name_elsewhere_is_no_use(tmp_path: Path) -> None:
    other = Deprecated("opsmith.op.options", "every_node", 2, "")
    same = Deprecated("opsmith.op", "Input", 2, "", field="default")
    assert not uses(write(tmp_path, text=EXPLICIT), other, same)


def test_check_says_it_and_goes_on(
    tmp_path: Path,
    alone: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path)
    monkeypatch.setattr(deprecated, "DEPRECATED", (FIELD,))
    assert main(["check", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("warning OPS086: Attribute(default=…) is not part of version 2 of the ")
    assert "\n  fix:   write initial=1\n" in said
    assert said.endswith("1 op folders, no problems\n")

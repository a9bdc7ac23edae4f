"""`opsmith init` writes a project whole, or says what is in its way and writes nothing."""

import sys
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.cli import main
from opsmith.commands import init
from opsmith.discover.discover import load_op
from tests.commands import printed, refused

FILES = {
    ".gitignore", "SConstruct", "app/main.cc", "my_boards/my_board/board.toml",
    "my_ops/my_op/op.py", "my_ops/my_op/test_my_op.py",
    "my_model.tflite",
}  # fmt: skip


def files(folder: Path) -> set[str]:
    """The files below a folder, without bytecode."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(folder).as_posix() for path in found}


@pytest.mark.slow
def test_a_project_has_an_op_a_board_and_an_application(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path / "a project")]) == 0
    root = tmp_path / "a project"
    assert files(root) == FILES
    assert load_op(root / "my_ops" / "my_op").op.name == "my_op"
    assert load_board("my_board", [root / "my_boards"]).run.qemu is not None
    assert f"next: cd '{root}' && " in capsys.readouterr().out


@pytest.mark.slow
def test_without_pytest_the_op_is_compiled_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pytest", None)
    said = printed("init", tmp_path)
    assert "\ntests of ops need pytest: .venv/bin/pip install 'opsmith[test]'\nnext: " in said
    assert " my_ops/my_op board=my_board\n" in said
    assert "my_op/test" not in said


@pytest.mark.slow
def test_it_is_written_into_the_current_folder_beside_what_is_there(here: Path) -> None:
    (here / "my_ops" / "other").mkdir(parents=True)
    (here / "my_ops" / "other" / "op.py").touch()
    assert main(["init"]) == 0
    assert files(here) == FILES | {"my_ops/other/op.py"}


@pytest.mark.parametrize("place", ["SConstruct", "app", "my_ops/my_op/op.py"])
def test_what_is_in_the_way_is_named_and_stays(place: str, tmp_path: Path) -> None:
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text("mine", encoding="utf-8")
    said = refused("init", tmp_path)
    assert said.count("error BLD045") == 1
    assert f"where: {tmp_path / place}\n" in said
    assert files(tmp_path) == {place}
    assert (tmp_path / place).read_text(encoding="utf-8") == "mine"


def test_a_file_is_no_folder_to_write_into(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine", encoding="utf-8")
    said = refused("init", tmp_path / "notes")
    assert "error BLD045: there is a file of this name already\n" in said
    assert (tmp_path / "notes").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("place", ["opsmith.py", "opsmith/__init__.py"])
def test_what_would_hide_the_package_from_the_sconstruct_is_named(
    place: str, tmp_path: Path
) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).touch()
    said = refused("init", tmp_path)
    assert said.startswith("error BLD045: Python would find this in place of the package opsmith")
    assert f"where: {tmp_path / place}\n" in said
    assert files(tmp_path) == {place}


def test_a_link_to_nothing_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "SConstruct").symlink_to("nothing")
    assert main(["init", str(tmp_path)]) == 2
    assert not (tmp_path / "nothing").exists()


def test_what_fails_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_is_in_the_way(files: list[Path], folder: Path) -> tuple[()]:
        (folder / "app").mkdir()
        (folder / "app" / "main.cc").write_text("mine", encoding="utf-8")  # just now
        return ()

    monkeypatch.setattr(init, "_in_the_way", nothing_is_in_the_way)
    assert "error BLD002" in refused("init", tmp_path)
    assert files(tmp_path) == {"app/main.cc"}

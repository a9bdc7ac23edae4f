"""`opsmith where` in a folder that is no project says so, in place of SCons."""

from pathlib import Path

import pytest

from tests.commands import refused


@pytest.mark.parametrize("above", [False, True])
def test_a_folder_without_a_project_is_told_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, above: bool
) -> None:
    here = tmp_path / "inner"
    here.mkdir()
    if above:
        (tmp_path / "SConstruct").touch()
    monkeypatch.chdir(here)
    said = refused("where", "board=stm32", "model=m.tflite")
    assert "BLD120" in said
    assert (f"go to {tmp_path}" if above else "opsmith init DIR") in said


def test_a_folder_of_products_is_no_variable() -> None:
    said = refused("where", "build/stm32f405-cmsis/m")
    assert "BLD001: 'build/stm32f405-cmsis/m' is no NAME=VALUE" in said
    assert "board=… model=…" in said

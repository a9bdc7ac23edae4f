"""Runtimes: what a runtime.toml may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolchain.board.runtime import list_runtimes, load_runtime
from toolchain.errors import ToolchainError

SHIPPED = Path(__file__).resolve().parents[3] / "runtimes"


def write(root: Path, name: str, text: str) -> None:
    (root / name).mkdir()
    (root / name / "runtime.toml").write_text(text, encoding="utf-8")


def test_the_shipped_ones_are_right() -> None:
    assert {"reference", "cmsis"} <= set(list_runtimes(SHIPPED))
    for name in list_runtimes(SHIPPED):
        assert load_runtime(name, SHIPPED).title
    assert load_runtime("cmsis", SHIPPED).grants == {"thumb", "thumb2", "dsp", "mve", "cmsis_nn"}
    assert load_runtime("cmsis", SHIPPED).fallback == "reference"


def test_an_unknown_one_gets_a_suggestion() -> None:
    with pytest.raises(ToolchainError, match="did you mean 'cmsis'"):
        load_runtime("cmsi", SHIPPED)


def test_all_problems_of_a_file_come_at_once(tmp_path: Path) -> None:
    write(tmp_path, "mine", 'titel = "x"\ngrants = [1]\nfallback = "yours"\n')
    with pytest.raises(ToolchainError) as error:
        load_runtime("mine", tmp_path)
    text = str(error.value)
    assert "unknown key 'titel' (did you mean 'title'?)" in text
    assert "missing key 'title'" in text
    assert "'grants' is [1]" in text
    assert "no runtime 'yours'" in text


@pytest.mark.parametrize("text", ["title = ", 'title = "x"\ngrants = "dsp"\n', "\udcff"])
def test_a_broken_file_is_an_error(tmp_path: Path, text: str) -> None:
    write(tmp_path, "mine", "")
    path = tmp_path / "mine" / "runtime.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ToolchainError, match="BLD030"):
        load_runtime("mine", tmp_path)


@pytest.mark.parametrize(
    "text", ['title = "\\u001b[31m"\ngrants = []', f"x = {'[' * 5000}", f"title = {'9' * 5000}"]
)
def test_a_hostile_runtime_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "runtime.toml").write_text(text)
    with pytest.raises(ToolchainError, match="BLD030") as caught:
        load_runtime("odd", tmp_path)
    assert "\x1b" not in str(caught.value)

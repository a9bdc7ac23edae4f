"""Templates are compiled once, and again after an edit or damage."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opsmith.report import kept_template
from opsmith.report.kept_template import load_template

TEMPLATE = "{% for each in names %}{{ each }};{% endfor %}{{ 1234567 | number }}\n"
NAMES = ["<b>", "\u202etxt"]
TEXT = "&lt;b&gt;;\\u202etxt;1,234,567"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A template in a folder of its own."""
    found = tmp_path / "page.html.jinja"
    found.write_text(TEMPLATE, encoding="utf-8")
    return found


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of the templates that are compiled."""
    import jinja2

    found: list[str] = []
    compile_template: Any = jinja2.Environment.compile

    def noting(self: jinja2.Environment, source: str, name: str, *more: str) -> object:
        found.append(name)
        return compile_template(self, source, name, *more)

    monkeypatch.setattr(jinja2.Environment, "compile", noting)
    yield found


def rendered(file: Path) -> str:
    """Text of the template, as another process would give it."""
    return str(load_template(file, {"number": "{:,}".format}).render(names=NAMES))


def test_a_template_is_compiled_once(file: Path, compiled: list[str]) -> None:
    assert [rendered(file), rendered(file)] == [TEXT, TEXT]
    assert compiled == [file.name]


def test_an_edited_one_is_compiled_again(file: Path, compiled: list[str]) -> None:
    rendered(file)
    file.write_text(f"{TEMPLATE}!", encoding="utf-8")
    assert rendered(file) == f"{TEXT}\n!"
    assert compiled == [file.name] * 2


@pytest.mark.parametrize("end", [0, 20, -1])
def test_damaged_bytecode_is_made_again(file: Path, compiled: list[str], end: int) -> None:
    rendered(file)
    (kept,) = file.parent.glob("__pycache__/*")
    kept.write_bytes(kept.read_bytes()[:end])
    assert [rendered(file), rendered(file)] == [TEXT, TEXT]
    assert compiled == [file.name] * 2


@pytest.mark.parametrize("name", ["sys.dont_write_bytecode", "INSTALLED"])
def test_where_none_is_stored_it_is_compiled_each_time(
    file: Path, compiled: list[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{kept_template.__name__}.{name}", True)
    assert [rendered(file), rendered(file)] == [TEXT, TEXT]
    assert compiled == [file.name] * 2
    assert not file.parent.joinpath("__pycache__").exists()

"""board.toml from anybody: no value reaches a terminal, a linker script or a program unchecked."""

import os
from pathlib import Path

import pytest

from opsmith.board.linker import linker_script
from opsmith.board.manifest import load_board
from tests.commands import refused
from tests.unit.board.test_manifest import GOOD, told, write

TITLE = 'title = "Test board"'
# (text in the good board.toml, what replaces it, code, words of the message)
HOSTILE = [
    (TITLE, 'title = "\\u001b[31mred"', "BRD012", "'\\x1b[31mred' in title"),
    (TITLE, 'title = "two\\nlines"', "BRD012", "'two\\nlines' in title"),
    (TITLE, 'title = "\\u202Egnp.x"', "BRD012", "in title"),
    (TITLE, f'{TITLE}\n"a\\u0007b" = 1', "BRD012", "'a\\x07b' in the file"),
    (TITLE, f'title = "{"x" * 600}"', "BRD004", "has 600 characters"),
    ("baud = 115200", "baud = nan", "BRD004", "'console.baud' is nan"),
    ("baud = 115200", "baud = true", "BRD004", "'console.baud' is True"),
    ('"4K"', '"1_"', "BRD004", "'1_', which is no size"),
    ("size = 4096", 'size = "9999999M"', "BRD004", "memory.ccm.size"),
    ("ccm = {", "text = {", "BRD006", "name the linker script needs"),
    ("ccm = {", "len = {", "BRD006", "name the linker script needs"),
    ("ccm = {", "debug_info = {", "BRD006", "name the linker script needs"),
    ("ccm = {", '"x } > flash /*" = {', "BRD004", "is no name"),
    ("ccm = {", f"{'c' * 65} = {{", "BRD004", "is no name"),
    ('"mps2-an386"', '"virt,dumpdtb=x"', "BRD004", "run.qemu.machine"),
    ('"mps2-an386"', '"-S"', "BRD004", "run.qemu.machine"),
    ('target = "x"', 'target = "--version"', "BRD004", "flash.target"),
    ('target = "x"', 'target = "a;reboot"', "BRD004", "flash.target"),
    ('"reference"', '"../../x"', "BRD004", "'runtime' is '../../x'"),
    ("[clock]", '[defines]\n"A=1 -D B" = 1\n[clock]', "BRD004", "no macro name"),
    ('["short"]', '["../x"]', "BRD004", "'../x', which is no name"),
    ('["short"]', '[["short"]]', "BRD004", "which is no name"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "code", "words"), HOSTILE)
def test_a_hostile_value_is_reported(
    tmp_path: Path, old: str, new: str, code: str, words: str
) -> None:
    assert old in GOOD
    error = told(write(tmp_path, GOOD.replace(old, new, 1)))
    assert any(p.code == code and words in p.what for p in error.problems), str(error)
    assert all(c.isprintable() or c == "\n" for c in str(error))
    assert len(str(error)) < 2000


def test_what_is_no_text_is_reported_and_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "board.toml").write_bytes(b'title = "\xff"')
    assert told(tmp_path, "odd").problems[0].code == "BRD001"
    assert load_board("mine", [write(tmp_path, GOOD)]).name == "mine"


@pytest.mark.parametrize("name", [b"\xff", b"a b", b"$(x)", b"-o", b"\x1b[2J", b"A" * 255])
def test_a_hostile_folder_name_is_reported(tmp_path: Path, name: bytes) -> None:
    folder = os.fsdecode(name)
    write(tmp_path, GOOD, folder)
    arguments = ["--boards", str(tmp_path), "--out", str(tmp_path / "x.ld")]
    said = refused("linker-script", f"--board={folder}", *arguments)
    assert "error BRD004: the folder's name" in said
    assert all(c.isprintable() or c == "\n" for c in said)


def test_a_title_cannot_end_the_comment_it_stands_in(tmp_path: Path) -> None:
    title = 'title = "**// INCLUDE x /*"'
    script = linker_script(load_board("mine", [write(tmp_path, GOOD.replace(TITLE, title))]))
    assert script.index("INCLUDE x") < script.index("*/") < script.index("ENTRY")


@pytest.mark.parametrize("name", ["a.cc", "a b.cc"])
def test_a_source_that_cannot_be_compiled_is_reported(tmp_path: Path, name: str) -> None:
    root = write(tmp_path, GOOD)
    if name == "a.cc":
        (root / "mine" / name).mkdir()
    else:
        (root / "mine" / name).touch()
    assert told(root).problems[0].code == "BRD014"

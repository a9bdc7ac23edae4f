"""[[constants]] of board.toml: what is right is read, and every mistake has its code and fix."""

from pathlib import Path

import pytest

from opsmith.board.describe import ConstantsRule
from opsmith.board.linker import linker_script
from opsmith.board.manifest import load_board
from opsmith.errors import ToolchainError
from tests.refusals import refusal

MCU = """\
title = "Test board"
core = "cortex-m4f"
family = "cmsdk"
runtime = "reference"
stack = "4K"

[memory]
flash = { origin = 0x0, size = "1M", wait_states = 5 }
ram = { origin = 0x2000_0000, size = "64K" }
ccm = { origin = 0x1000_0000, size = 4096, wait_states = 0.5 }
qspi = { origin = 0x9000_0000, size = "8M", wait_states = 30 }

[clock]
core_hz = 25_000_000

[console]
baud = 115200
address = 0x4000_4000
interrupt = 0

[[arena]]
memory = "ccm"

[[constants]]
memory = "ccm"
at_start = "copy"
limit = "2K"

[[constants]]
memory = "qspi"
at_least = 256
at_most = "4M"
"""
HOST = 'title = "PC"\ncore = "host"\nfamily = "posix"\nruntime = "reference"\n'


def write(root: Path, text: str) -> list[Path]:
    (root / "mine").mkdir(parents=True, exist_ok=True)
    (root / "mine" / "board.toml").write_text(text, encoding="utf-8")
    return [root]


def test_rules_and_wait_states_are_read(tmp_path: Path) -> None:
    board = load_board("mine", write(tmp_path, MCU))
    assert board.constants == (
        ConstantsRule("ccm", copied=True, limit=2048),
        ConstantsRule("qspi", at_least=256, at_most=4 << 20),
    )
    waits = {name: memory.wait_states for name, memory in board.memory.items()}
    assert waits == {"flash": 5, "ram": 0, "ccm": 0.5, "qspi": 30}
    assert board.bytes_elsewhere == 8 << 20
    assert list(board.images) == ["firmware.bin", "firmware.hex", "firmware.qspi.bin"]


@pytest.mark.parametrize(("old", "new", "code", "words"), [
    ('memory = "qspi"', 'memory = "qspy"', "BRD006", "'qspy', which no constants can move to"),
    ('memory = "qspi"', 'memory = "flash"', "BRD006", "'flash', which no constants can"),
    ('memory = "qspi"', 'memory = "*/ x"', "BRD006", "'*/ x', which no constants can"),
    ('memory = "qspi"', 'memory = "a\\u001b[31m"', "BRD012", "do not show"),
    ('memory = "qspi"', "", "BRD003", "'constants[1].memory' is missing"),
    ('memory = "qspi"', 'memory = "ram"', "BRD006", 'add at_start = "copy"'),
    ('memory = "ccm"\n\n[[c', 'memory = "qspi"\n\n[[c', "BRD006", "'arena[0]' puts tensors"),
    ('at_start = "copy"', 'at_start = "copi"', "BRD004", "did you mean 'copy'?"),
    ('at_start = "copy"', "", "BRD006", "'arena[0]' puts tensors"),
    ('limit = "2K"', 'limit = "8K"', "BRD006", "(8192 bytes) is more than 'ccm' (4096)"),
    ('limit = "2K"', "limit = 7", "BRD006", "less than the smallest array takes"),
    ('limit = "2K"', 'limt = "2K"', "BRD002", "did you mean 'limit'?"),
    ("at_least = 256", 'at_least = "5M"', "BRD006", "'constants[1].at_least' (5242880 bytes)"),
    ('limit = "2K"', 'limit = "2K"\nat_least = "3K"', "BRD006", "rule can take (2048)"),
    ('memory = "ccm"\n\n[[c', 'memory = "ccm"\nat_least = 4097\n\n[[c', "BRD006", "(4096)"),
    ("qspi = {", "sdata = {", "BRD006", "'memory.sdata' is a name the linker script needs"),
    ("qspi = {", "arm = {", "BRD006", "'memory.arm' is a name the linker script needs"),
    ('size = "1M", wait_states = 5', 'size = "1M"', "BRD006", "no fewer than those of flash"),
    ("wait_states = 30", "wait_states = -1", "BRD004", "write cycles for each word, 0 to"),
    ("wait_states = 30", "wait_states = nan", "BRD004", "write cycles for each word, 0 to"),
    ("wait_states = 30", 'wait_states = "30"', "BRD004", "write cycles for each word, 0 to"),
    ("origin = 0x9000_0000", "origin = 0x0008_0000", "BRD006", "overlap from 0x80000"),
    ("[[constants]]", "[constants]", "BRD001", "cannot be read"),
])  # fmt: skip
def test_a_mistake_is_reported(tmp_path: Path, old: str, new: str, code: str, words: str) -> None:
    assert old in MCU
    caught = refusal(load_board, "mine", write(tmp_path, MCU.replace(old, new, 1)))
    problems = caught.problems
    assert any(p.code == code and words in p.what + p.fix for p in problems), str(caught)


def test_copies_to_ram_need_a_limit(tmp_path: Path) -> None:
    text = MCU.replace('memory = "ccm"\nat_start', 'memory = "ram"\nat_start')
    assert load_board("mine", write(tmp_path, text)).constants[0].limit == 2048
    with pytest.raises(ToolchainError, match="copies to 'ram' without a 'limit'"):
        load_board("mine", write(tmp_path, text.replace('limit = "2K"', "")))


def test_rules_for_one_memory_agree_on_at_start(tmp_path: Path) -> None:
    text = MCU.replace('memory = "qspi"', 'memory = "ccm"')
    with pytest.raises(ToolchainError, match="'constants\\[1\\]' and an earlier rule differ"):
        load_board("mine", write(tmp_path, text))


def test_boards_with_an_operating_system_have_none(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="BRD006.*'constants' contradicts core 'host'"):
        load_board("mine", write(tmp_path, f'{HOST}[[constants]]\nmemory = "ram"\n'))


def test_the_linker_script_takes_them_before_other_constants(tmp_path: Path) -> None:
    script = linker_script(load_board("mine", write(tmp_path, MCU)))
    copied = script.index("*(.rodata.in-ccm.*)\n    . = ALIGN(8);\n  } > ccm AT > flash")
    flashed = script.index("*(.rodata.in-qspi.* .qspi .qspi.*)\n    . = ALIGN(8);\n  } > qspi\n")
    assert script.index(".stack (NOLOAD)") < copied < flashed < script.index("*(.rodata .rodata.*)")
    table = script[script.index("__copy_table_start") : script.index("__copy_table_end")]
    assert "LONG(LOADADDR(.constants.ccm)) LONG(ADDR(.constants.ccm))" in table
    assert "qspi" not in table
    zeroed = script[script.index("__zero_table_start") : script.index("__zero_table_end")]
    assert "LONG(ADDR(.ccm))" in zeroed, "tensors may lie there"
    assert "qspi" not in zeroed, "what is flashed is not cleared"


def test_a_script_without_a_place_for_them_is_refused(tmp_path: Path) -> None:
    """A board with rules of constants needs a place for constants in its linker script, others do
    not.
    """
    text = MCU.replace('core = "cortex-m4f"', 'core = "mine"').replace("cmsdk", "own")
    for line in ("[clock]", "core_hz = 25_000_000", "address = 0x4000_4000", "interrupt = 0"):
        text = text.replace(f"{line}\n", "")
    arch = tmp_path / "platforms" / "arch" / "mine"
    (arch / "cores").mkdir(parents=True)
    (arch / "arch.toml").write_text(
        'title = "Mine"\nkind = "bare-metal"\ntools = "mine-"\n', encoding="utf-8"
    )
    (arch / "cores" / "mine.toml").write_text("flags = []\nfeatures = []\n", encoding="utf-8")
    (arch / "firmware.ld.in").write_text("@title@ @memories@ @stack@ @zeroed@ @more@")
    family = tmp_path / "platforms" / "mcu" / "own"
    family.mkdir(parents=True)
    (family / "family.toml").write_text('arch = "mine"\n', encoding="utf-8")
    (family / "board.cc").write_text("// OPSMITH_CONSOLE_BAUD\n", encoding="utf-8")
    boards, platforms = write(tmp_path / "boards", text), [tmp_path / "platforms"]
    with pytest.raises(ToolchainError, match="BRD018.*it does not say @constants@"):
        linker_script(load_board("mine", boards, platforms))
    plain = write(tmp_path / "boards", text[: text.index("[[constants]]")])
    assert "ccm" in linker_script(load_board("mine", plain, platforms))

"""The linker script follows the manifest."""

from pathlib import Path

import pytest

from opsmith.board.linker import linker_script, main
from opsmith.board.manifest import load_board
from opsmith.errors import ToolchainError

BOARDS = Path(__file__).resolve().parents[3] / "boards"


def test_memories_and_stack_are_the_boards() -> None:
    script = linker_script(load_board("stm32", [BOARDS]))
    assert "flash (rx) : ORIGIN = 0x08000000, LENGTH = 0x100000" in script
    assert "ram (rwx) : ORIGIN = 0x20000000, LENGTH = 0x20000" in script
    assert ". += 8192;" in script
    assert script.index(".stack (NOLOAD)") < script.index(".data :") < script.index(".bss (NOLOAD)")


def test_every_other_memory_has_a_section_that_is_zeroed() -> None:
    script = linker_script(load_board("stm32", [BOARDS]))
    assert "*(.ccm .ccm.*)" in script
    assert "LONG(ADDR(.ccm)) LONG(ADDR(.ccm) + SIZEOF(.ccm))" in script
    assert "ccm" not in linker_script(load_board("mps2_an386", [BOARDS]))


def test_the_command_writes_the_file(tmp_path: Path) -> None:
    out = tmp_path / "x.ld"
    assert main(["--board", "mps2_an386", "--boards", str(BOARDS), "--out", str(out)]) == 0
    assert out.read_text() == linker_script(load_board("mps2_an386", [BOARDS]))
    assert list(tmp_path.iterdir()) == [out]


def test_the_host_has_none(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="BRD011"):
        main(["--board", "host", "--boards", str(BOARDS), "--out", str(tmp_path / "x.ld")])

"""Sizes: sections of an ELF file, memories of a board, budgets."""

import struct
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from opsmith.board.manifest import Board, Memory
from opsmith.errors import ToolchainError
from opsmith.report.elf import Section, read_sections
from opsmith.report.size import OverBudget, bar_lines, budget_lines, measure, over_budget

TEXT = Section(".text", 0x1000, 0x1000, 600, True)
DATA = Section(".data", 0x20000000, 0x1258, 40, True)
BSS = Section(".bss", 0x20000028, 0x1280, 100, False)
STACK = Section(".stack", 0x20000100, 0x20000100, 256, False)


def board(stack: int = 256, flash: int = 1024, ram: int = 512) -> Board:
    memory = {"flash": Memory(0x1000, flash), "ram": Memory(0x20000000, ram)}
    return cast(Board, SimpleNamespace(memory=memory, stack_bytes=stack))


def test_initialised_data_counts_in_flash_and_in_ram() -> None:
    flash, ram = measure([TEXT, DATA, BSS], board(stack=0))
    assert (flash.used, ram.used) == (640, 140)


def test_the_stack_counts_once() -> None:
    assert measure([TEXT, DATA, BSS], board())[1].used == 140 + 256
    assert measure([TEXT, DATA, BSS, STACK], board())[1].used == 140 + 256


def test_a_memory_that_is_just_full_fits() -> None:
    usages = measure([TEXT, DATA, BSS, STACK], board(flash=640, ram=396))
    assert not list(over_budget(usages, "here"))
    assert "100.0%" in bar_lines(usages)[0]


def test_one_byte_too_many_is_reported_with_the_numbers() -> None:
    usages = measure([TEXT, DATA, BSS, STACK], board(flash=639, ram=395))
    flash, ram = OverBudget(*over_budget(usages, "here")).problems
    assert flash.what == "flash is over budget: 640 bytes of 639, 1 too many (.text 600, .data 40)"
    assert "396 bytes of 395, 1 too many (.stack 256, .bss 100, .data 40)" in ram.what
    assert flash.code == "BLD020"


def test_a_budget_that_is_not_kept_is_said() -> None:
    usages = measure([TEXT, DATA, BSS, STACK], board())
    short = {"flash_budget": {"bytes": 600}, "opt": "speed"}
    (line,) = budget_lines(short, usages, asked=True)
    assert line == "  flash_budget=600 is NOT KEPT, by 40 B: opt=size takes least"
    assert [*budget_lines({"models": [short | {"opt": "size"}]}, usages, asked=True)] == [
        "  flash_budget=600 is NOT KEPT, by 40 B"
    ]
    assert not [*budget_lines(short, usages, asked=False)]
    assert not [*budget_lines(short | {"flash_budget": {"bytes": 640}}, usages, asked=True)]


def test_a_host_has_no_limits() -> None:
    host = cast(Board, SimpleNamespace(memory={}, stack_bytes=0))
    flash, ram = measure([TEXT, DATA, BSS], host)
    assert (flash.used, ram.used, flash.limit) == (640, 100, None)


def elf32() -> bytes:
    """ELF file of a header, one segment, and the sections null, .data (stored elsewhere) and
    .shstrtab.
    """
    names = b"\0.data\0.shstrtab\0"
    segment = struct.pack("<8I", 1, 0x200, 0x20000000, 0x1258, 40, 40, 6, 4)
    rows = [
        struct.pack("<10I", *[0] * 10),
        struct.pack("<10I", 1, 1, 3, 0x20000000, 0x200, 40, 0, 0, 4, 0),
        struct.pack("<10I", 7, 3, 0, 0, 0x100, len(names), 0, 0, 1, 0),
    ]
    header = struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 0x40, 0x80, 0, 52, 32, 1, 40, 3, 2)
    data = (b"\x7fELF\x01\x01\x01" + bytes(9) + header).ljust(0x40, b"\0")
    data = (data + segment).ljust(0x80, b"\0") + b"".join(rows)
    return data.ljust(0x100, b"\0") + names


def test_sections_are_read_with_their_load_addresses(tmp_path: Path) -> None:
    (tmp_path / "x.elf").write_bytes(elf32())
    assert read_sections(tmp_path / "x.elf") == (DATA,)


@pytest.mark.parametrize("length", [0, 3, 20, 60, 130, 250, 262])
def test_a_truncated_elf_is_an_error(tmp_path: Path, length: int) -> None:
    (tmp_path / "x.elf").write_bytes(elf32()[:length])
    with pytest.raises(ToolchainError, match="BLD021"):
        read_sections(tmp_path / "x.elf")

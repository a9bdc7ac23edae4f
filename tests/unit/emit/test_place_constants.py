"""Constants in several memories: what is read how often, what moves, and what the files say."""

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from opsmith.board.describe import Board, ConstantsRule, Memory
from opsmith.board.manifest import load_board
from opsmith.emit.constant_reads import words_read
from opsmith.emit.place_constants import Placed, place_constants
from opsmith.emit.weights import weights_source, with_bytes, write_weights
from opsmith.errors import ToolchainError
from opsmith.ir.program import ConstantTable, Program
from opsmith.report.elf import read_sections
from opsmith.report.finish import constants_lines
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops
from tests.programs import compiled
from tests.refusals import refusal

MODEL = ROOT / "tests" / "models" / "digits_int8.tflite"
BANK, CCM = ConstantsRule("bank"), ConstantsRule("ccm", copied=True)


@lru_cache(maxsize=1)
def program() -> Program:
    """Program of the digit reader with reference kernels."""
    return compiled(MODEL)


def board(*rules: ConstantsRule, flash: int = 1 << 20) -> Board:
    found = load_board("mps2_an386", [ROOT / "boards"])
    memory = {
        "flash": Memory(0, flash, 4),
        "ram": found.memory["ram"],
        "bank": Memory(0x1000_0000, 8192, 10),
        "ccm": Memory(0x1100_0000, 1024, 1),
    }
    return replace(found, memory=MappingProxyType(memory), constants=rules)


def placed(*rules: ConstantsRule, flash: int = 1 << 20, budget: int | None = None) -> Placed:
    made = program()
    return place_constants(made, [made], shipped_ops(), board(*rules, flash=flash), budget)


def of_memory(found: Placed, memory: str) -> Sequence[str]:
    return [table.symbol for table in found.program.tables if table.memory == memory]


@pytest.mark.slow
def test_layers_read_weights_for_each_pixel_and_lookups_an_element_for_each() -> None:
    words = words_read([program()], shipped_ops())
    sizes = {table.symbol: table.bytes for table in program().tables}
    assert words["conv_filter"] * 4 == sizes["conv_filter"] * 8 * 8
    assert words["conv_bias"] * 4 == sizes["conv_bias"] * 8 * 8
    assert words["logits_weights"] * 4 == sizes["logits_weights"], "a layer of one row"
    assert words["probabilities_exponential"] == 10, "one for each element"


@pytest.mark.slow
def test_a_board_without_rules_is_as_before() -> None:
    made = program()
    found = place_constants(made, [made], shipped_ops(), board(), None)
    assert found.program is made
    assert found.constants is None


def test_what_is_read_most_per_byte_is_copied() -> None:
    found = placed(CCM)
    copied = set(of_memory(found, "ccm"))
    words = words_read([program()], shipped_ops())
    heat = {t.symbol: words[t.symbol] / t.bytes for t in program().tables}
    assert 0 < len(copied) < len(heat)
    assert max(heat, key=lambda symbol: heat[symbol]) in copied
    assert sum(t.bytes for t in found.program.tables if t.memory) <= 1024
    facts = found.constants
    assert facts is not None
    assert facts["memories"]["ccm"]["cycles_saved"] == sum(words[s] for s in copied) * 3
    (line,) = constants_lines({"constants": found.constants})
    assert "in ccm, copied at start: about" in line
    assert "fewer wait cycles than in flash" in line


def test_what_flash_has_no_room_for_is_flashed_elsewhere() -> None:
    found = placed(BANK, budget=1)
    assert len(of_memory(found, "bank")) == len(program().tables)
    (line,) = constants_lines({"constants": found.constants})
    assert "copied" not in line
    assert "more wait cycles than in flash" in line
    assert not of_memory(placed(BANK), "bank"), "all fits flash, which is faster"


def test_too_little_room_is_an_error_with_the_numbers() -> None:
    small = replace(BANK, limit=2048)
    (problem,) = refusal(placed, small, budget=1).problems
    assert problem.code == "BLD047"
    assert "constants take 3,488 bytes, and 1,440 of them have no place" in problem.what
    assert "logits_weights (960), probabilities_exponential (304)" in problem.what
    assert "there is room for: flash 0, bank 2,048" in problem.what
    assert problem.where.endswith("board.toml")
    assert problem.fix.startswith("raise flash_budget=1, add a memory, relax a rule of")
    assert refusal(placed, small, flash=8192).problems[0].fix.startswith("add a memory")
    with pytest.raises(ToolchainError, match="8,192 \\(arrays of at least 9 and at most 99\\)"):
        placed(replace(BANK, at_least=9, at_most=99), budget=1)


def test_an_array_of_no_bytes_takes_none_of_those_after_it(tmp_path: Path) -> None:
    made = program()
    empty = ConstantTable.of("none", made.tables[0].c, np.zeros(0, np.int8))
    tables = replace(made, tables=(empty, *made.tables))
    write_weights(tables, tmp_path / "weights.bin")
    source = weights_source(tables, str(tmp_path / "weights.bin"), "0")
    (tmp_path / "weights.cc").write_text(source, encoding="utf-8")
    command = ["g++", "-c", "weights.cc", "-o", "weights.o", "-Wa,--fatal-warnings"]
    subprocess.run(command, cwd=tmp_path, check=True)
    sizes = {each.name: each.size for each in read_sections(tmp_path / "weights.o")}
    name = f".rodata.{made.graph.name}"
    assert sizes.get(f"{name}.none", 0) == 0
    assert all(sizes[f"{name}.{t.symbol}"] == t.bytes for t in made.tables)


def test_sections_say_the_memory_and_sources_keep_the_bytes() -> None:
    text = weights_source(placed(CCM).program, "weights.bin", "0")
    lines = [line for line in text.splitlines() if line.startswith("  constant ")]
    moved = [line for line in lines if line.endswith(", .rodata.in-ccm.")]
    assert 0 < len(moved) < len(lines)
    data = b"".join(table.array.tobytes() for table in program().tables)
    whole = "".join(with_bytes(text, {"weights.bin": data}))
    told = [
        int(byte)
        for line in whole.splitlines()
        if line.startswith("  .byte ")
        for byte in line.removeprefix("  .byte ").split(",")
    ]
    assert bytes(told) == data

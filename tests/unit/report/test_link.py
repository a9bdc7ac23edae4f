"""Tests of the link step: messages where memories are too small, and the images that it leaves."""

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from opsmith.board.describe import Board, Memory
from opsmith.report.finish import replace_products
from opsmith.report.link import link
from opsmith.report.size import OverBudget


def board() -> Board:
    memory = {"flash": Memory(0, 4096), "ram": Memory(0x2000_0000, 2048)}
    core = SimpleNamespace(architecture=SimpleNamespace(printf_floats=("-u", "_printf_float")))
    images = ("firmware.bin", "firmware.bank.bin")
    found = SimpleNamespace(name="mine", core=core, memory=memory, bytes_elsewhere=0, images=images)
    return cast(Board, found)


@pytest.mark.parametrize("moved", [0, 512])
def test_a_memory_that_copies_overflow_names_their_rules(moved: int) -> None:
    """Rules of copied constants are named where the constants lie in the overflowing memory, and
    only there.
    """
    said = "region `RAM' overflowed by 8 bytes"
    command = ["sh", "-c", 'echo "$0" >&2; exit 1', said]
    with pytest.raises(OverBudget) as caught:
        link(command, board(), {"constants": {"memories": {"ram": {"bytes": moved}}}})
    (problem,) = caught.value.problems
    assert problem.what.startswith("ram is over budget: 2056 bytes of 2048, 8 too many")
    assert ("; 512 bytes are constants, of which a 'limit'" in problem.what) == bool(moved)


@pytest.mark.parametrize(("statement", "wanted"), [
    ('printf("%s: %+.3f", text, 0.5)', True),
    ('fprintf(stderr, "%*LE", 3, 0.5L)', True),
    ('printf("100 % full: %s", text)', False),
    ('fputs("%f", stdout)', False),
])  # fmt: skip
def test_floats_are_linked_where_they_are_printed(
    statement: str, *, wanted: bool, tmp_path: Path
) -> None:
    source, made = tmp_path / "main.c", tmp_path / "main.o"
    source.write_text(f"#include <stdio.h>\nvoid say(const char* text) {{ {statement}; }}\n")
    subprocess.run(["gcc", "-w", "-c", "-o", made, source], check=True)
    command = ["sh", "-c", 'echo "$@" >"$0"', str(tmp_path / "said"), str(made)]
    assert link(command, board(), {}) == 0
    assert ("-u _printf_float" in (tmp_path / "said").read_text()) == wanted


def test_images_of_memories_that_are_flashed_no_more_are_removed(tmp_path: Path) -> None:
    for name in ("firmware.bin.new", "firmware.bank.bin", "firmware.qspi.bin", "weights.bin"):
        (tmp_path / name).write_bytes(b"x")
    replace_products(tmp_path, ["firmware.bin"], board())
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["firmware.bank.bin", "firmware.bin", "weights.bin"]

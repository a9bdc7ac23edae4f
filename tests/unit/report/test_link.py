"""Tests of the link step: messages where memories are too small, and the images that it leaves."""

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
    found = SimpleNamespace(
        name="mine", memory=memory, bytes_elsewhere=0, images=("firmware.bin", "firmware.bank.bin")
    )
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


def test_images_of_memories_that_are_flashed_no_more_are_removed(tmp_path: Path) -> None:
    for name in ("firmware.bin.new", "firmware.bank.bin", "firmware.qspi.bin", "weights.bin"):
        (tmp_path / name).write_bytes(b"x")
    replace_products(tmp_path, ["firmware.bin"], board())
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["firmware.bank.bin", "firmware.bin", "weights.bin"]

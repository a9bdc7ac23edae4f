"""Constants in several memories: firmware larger than flash, and copies at start, are exact."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter

pytestmark = [pytest.mark.system, pytest.mark.qemu]
# Code and what reset copies in SSRAM1, constants in its upper half and in PSRAM.
MEMORY = """
flash = { origin = 0x0000_0000, size = "1M", wait_states = 5 }
ram = { origin = 0x2000_0000, size = "4M" }
bank = { origin = 0x0020_0000, size = "64K", wait_states = 9 }
tcm = { origin = 0x2100_0000, size = "1K" }

[[constants]]
memory = "bank"

[[constants]]
memory = "tcm"
at_start = "copy"

[[constants]]
memory = "ram"
at_start = "copy"
limit = 512

[clock]
"""


def layers(path: Path, *shapes: tuple[int, int]) -> Path:
    """Model of fully connected layers, each of N inputs and outputs."""
    m, random = ModelWriter("m"), np.random.default_rng(1)
    x = m.input("x", (1, shapes[0][0]), "int8", 0.05, 0)
    for i, (inputs, outputs) in enumerate(shapes):
        weights = random.integers(-127, 128, (outputs, inputs), np.int8)
        y = m.tensor(f"y{i}", (1, outputs), "int8", 0.05, 0)
        m.node("FULLY_CONNECTED", [x, m.constant(f"w{i}", weights, 0.01, 0), None], [y], {})
        x = y
    m.output(x)
    path.write_bytes(m.bytes())
    return path


def ran(*settings: str) -> tuple[dict[str, Any], Path, str]:
    """Report, folder and printed text of a firmware whose outputs are right."""
    folder = products(*settings)
    shutil.rmtree(folder, ignore_errors=True)  # what a build prints of sizes is what this one does
    done = scons(*settings, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report, folder, done.stdout


def test_a_model_larger_than_flash_runs_exactly(tmp_path: Path) -> None:
    model = layers(tmp_path / "larger.tflite", (2400, 256), (256, 8))
    report, folder, said = ran("board=mps3_an547", f"model={model}")
    (moved,) = report["constants"]["moved"]
    assert (moved["memory"], moved["bytes"]) == ("bram", 2400 * 256)
    assert report["memory"]["bram"]["used"] == 2400 * 256
    assert report["memory"]["flash"]["used"] < 64 * 1024
    assert f"constants {2400 * 256:,} B in bram: about" in said
    assert (folder / "firmware.bram.bin").read_bytes() in (folder / "weights.bin").read_bytes()
    assert (folder / "firmware.qspi.bin").read_bytes() == b""
    assert (folder / "firmware.bin").stat().st_size == report["memory"]["flash"]["used"]


def test_copies_at_start_and_a_second_bank_of_flash(tmp_path: Path) -> None:
    """Copies at start and a second bank of flash are exact; only 12 KB of flash are left, so that
    large weights move, too.
    """
    board = tmp_path / "an386_with_rules"
    board.mkdir()
    text = (ROOT / "boards" / "mps2_an386" / "board.toml").read_text(encoding="utf-8")
    head, tail = text.partition("flash = ")[0], text.partition("[clock]")[2]
    (board / "board.toml").write_text(head + MEMORY + tail, encoding="utf-8")
    model = layers(tmp_path / "banks.tflite", (160, 96), (96, 8), (8, 16))
    where = (f"board={board.name}", f"boards={tmp_path}", f"model={model}", "runtime=reference")
    report, folder, said = ran(*where, "flash_budget=14000")
    homes = {each["symbol"]: each["memory"] for each in report["constants"]["moved"]}
    assert homes["y0_weights"] == "bank"
    assert {"tcm", "ram"} <= set(homes.values())
    usage, sections = report["memory"], {e["name"]: e["bytes"] for e in report["sections"]}
    assert usage["tcm"]["sections"] == {".constants.tcm": sections[".constants.tcm"]}
    assert usage["flash"]["sections"][".constants.ram"] == sections[".constants.ram"]
    assert usage["ram"]["sections"][".constants.ram"] <= 512
    assert "B in tcm, copied at start: about" in said
    binary, weights = (folder / "firmware.bin").read_bytes(), (folder / "weights.bin").read_bytes()
    gap = len(binary) - usage["flash"]["used"]  # copies begin at multiples of eight bytes
    assert 0 <= gap < 8, "with what reset copies, without the second bank"
    assert (folder / "firmware.bank.bin").read_bytes() in weights

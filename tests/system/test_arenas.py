"""Tensors in two memories: a board's rules reach the firmware, which still answers as LiteRT."""

import json
from pathlib import Path

import pytest

from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.system.project import convolutions

pytestmark = [pytest.mark.system, pytest.mark.qemu]

RULE = '\n[[arena]]\nmemory = "sram"\nkinds = ["inner", "scratch"]\nat_least = 64\n'


def test_a_rule_of_the_board_moves_tensors(tmp_path: Path) -> None:
    folder = tmp_path / "an547_two_arenas"
    folder.mkdir()
    manifest = (ROOT / "boards" / "mps3_an547" / "board.toml").read_text(encoding="utf-8")
    (folder / "board.toml").write_text(manifest + RULE, encoding="utf-8")
    model = tmp_path / "two_arenas.tflite"
    model.write_bytes(convolutions(3, channels=32))
    settings = (f"board={folder.name}", f"boards={tmp_path}", f"model={model}")
    done = scons(*settings, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout
    found = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    assert set(found["arena"]) == {"ram", "sram"}
    assert found["memory"]["sram"]["used"] == found["arena"]["sram"]["bytes"]
    homes = {tensor["id"]: tensor["memory"] for tensor in found["tensors"]}
    assert {homes[each["id"]] for each in (*found["inputs"], *found["outputs"])} == {"ram"}
    assert "sram" in homes.values()

"""RISC-V: firmware is exact, takes portable kernels alone, and its instructions are counted."""

from __future__ import annotations

import json

import pytest

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]
BOARD = load_board("qemu_riscv32", [ROOT / "boards"])
DIGITS = ("board=qemu_riscv32", "model=tests/models/digits_int8.tflite")


@pytest.fixture
def tools() -> None:
    """Skips the test where the packages are absent."""
    require_tools(BOARD)


@pytest.mark.usefixtures("tools")
def test_a_model_is_exact_by_portable_kernels() -> None:
    taken = []
    exact = "bit-exact with LiteRT: yes"
    node_by_node = "every node is within atol=0 rtol=0: yes"
    # The second grants what this core has not.
    for runtime, said in (
        ("reference", {"run": exact, "crosscheck": node_by_node}),
        ("cmsis", {"run": exact}),
    ):
        done = scons(*DIGITS, f"runtime={runtime}", *said)
        assert done.returncode == 0, done.stdout + done.stderr
        assert all(each in done.stdout for each in said.values())
        folder = products(*DIGITS, f"runtime={runtime}")
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        taken.append([node["kernel"] for node in report["nodes"]])
    assert taken[0] == taken[1]
    assert not BOARD.core.features


@pytest.mark.usefixtures("tools")
def test_instructions_are_counted_and_always_the_same() -> None:
    counted = []
    for _ in range(2):
        done = scons(*DIGITS, "profile")
        assert done.returncode == 0, done.stdout + done.stderr
        counted.append(json.loads((products(*DIGITS) / "profile.json").read_text("utf-8")))
    assert counted[0] == counted[1]
    assert list(counted[0]["meaning"]) == ["instructions"]
    assert counted[0]["instructions"] > 100_000

"""RISC-V: firmware is exact, by portable kernels or by vectors; its instructions are counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.copies import copied
from tests.system.project import convolutions, tables
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]
BOARD = load_board("qemu_riscv32", [ROOT / "boards"])


@pytest.fixture
def tools() -> None:
    """Skips the test where the packages are absent."""
    require_tools(BOARD)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The settings of two convolutions, of which other cores have fast kernels."""
    model = tmp_path_factory.mktemp("riscv") / "riscv.tflite"
    model.write_bytes(convolutions())
    return "board=qemu_riscv32", f"model={model}"


@pytest.mark.usefixtures("tools")
def test_a_model_is_exact_by_portable_kernels(
    tiny: tuple[str, str], request: pytest.FixtureRequest
) -> None:
    """With --examples=2, also node by node."""
    more = ["crosscheck"] if request.config.getoption("--examples") > 1 else []
    taken = []
    for runtime in ("reference", "cmsis"):  # the second grants what this core has not
        done = scons(*tiny, f"runtime={runtime}", "run", *more)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "bit-exact with LiteRT: yes" in done.stdout
        assert not more or "every node is within atol=0 rtol=0: yes" in done.stdout
        folder = products(*tiny, f"runtime={runtime}")
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        taken.append([node["kernel"] for node in report["nodes"]])
    assert taken[0] == taken[1]
    assert not BOARD.core.features


@pytest.mark.usefixtures("tools")
def test_instructions_are_counted_and_always_the_same(tiny: tuple[str, str]) -> None:
    counted = []
    for _ in range(2):
        done = scons(*tiny, "profile")
        assert done.returncode == 0, done.stdout + done.stderr
        counted.append(json.loads((products(*tiny) / "profile.json").read_text("utf-8")))
    assert counted[0] == counted[1]
    assert list(counted[0]["meaning"]) == ["instructions"]
    assert counted[0]["instructions"] > 1_000


@pytest.mark.few(1)
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("core", ["rv32imafc", "hazard3"])
def test_a_core_may_have_an_fpu_or_more_instructions(tmp_path: Path, core: str) -> None:
    """The first of these cores is from elsewhere."""
    cores, board = tmp_path / "arch" / "riscv" / "cores", tmp_path / "boards" / "another"
    cores.mkdir(parents=True)
    (cores / "rv32imafc.toml").write_text('flags = ["-march=rv32imafc", "-mabi=ilp32f"]\n', "utf-8")
    copied(ROOT / "boards" / BOARD.name, board)
    manifest = board / "board.toml"
    text = manifest.read_text(encoding="utf-8").replace('"rv32imac"', f'"{core}"')
    manifest.write_text(text, encoding="utf-8")
    places = (f"boards={board.parent}", f"platforms={tmp_path}")
    model = ROOT / "tests" / "models" / "digits_int8.tflite"
    done = scons("board=another", *places, f"model={model}", "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout


@pytest.mark.few(1)
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("elements", [1, 1000])  # one, and whole vectors with a tail
def test_tables_are_looked_up_by_vectors(elements: int, tmp_path: Path) -> None:
    model = tmp_path / "tables.tflite"
    model.write_bytes(tables(elements))
    settings = "board=qemu_riscv32_v", f"model={model}"
    done = scons(*settings, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout
    report = json.loads((products(*settings) / "report.json").read_text(encoding="utf-8"))
    assert [node["kernel"] for node in report["nodes"]] == ["rvv", "rvv"]

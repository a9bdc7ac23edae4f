"""Models in less RAM than whole tensors take: bytes are LiteRT's, in the memory promised."""

import json
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.litert import Reference
from opsmith.rig.build import load_build
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import build, run, scons
from tests.system.test_models import extremes, seeded

pytestmark = [pytest.mark.system, pytest.mark.qemu]
# Model, board and runtime, and a budget that whole tensors exceed.
CELLS = [
    ("kws_int8", "host", "reference", "6K"),
    ("resnet_int8", "mps3_an547", "cmsis", "28K"),
    ("vww_int8", "mps2_an386", "cmsis", "31K"),
    ("vww_float", "mps3_an547", "cmsis", "125K"),
]


@pytest.mark.few(1)
@pytest.mark.parametrize(("model", "board", "runtime", "budget"), CELLS)
def test_firmware_within_a_budget_answers_as_litert(
    model: str, board: str, runtime: str, budget: str, models_dir: Path, tmp_path: Path
) -> None:
    path = models_dir / "mlperf_tiny" / f"{model}.tflite"
    firmware = build(board, path, tmp_path, runtime=runtime, ram_budget=budget)
    (tensor,) = load_build(firmware).inputs
    inputs = [*seeded()[:3], *([] if "float" in model else extremes(tensor))]
    reference = Reference(path)
    for each, got in zip(inputs, run(firmware, board, [[each] for each in inputs]), strict=True):
        for mine, theirs in zip(got, reference.run([each.array(tensor)]), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    report = json.loads((firmware / "report.json").read_text(encoding="utf-8"))
    first, *_ = curve = report["ram"]["curve"]
    (taken,) = (each for each in curve if each["taken"])
    assert first["rows"] is None and first["bytes"] > report["ram_budget"]["bytes"]
    assert taken["rows"] == report["ram"]["rows"] is not None
    used = report["arena"]["ram"]["bytes"] + report["state_bytes"]
    assert taken["bytes"] == used <= report["ram_budget"]["bytes"]


def test_a_board_that_is_too_small_for_whole_tensors(models_dir: Path, tmp_path: Path) -> None:
    """A small board takes rows; a budget that no plan meets is an error, whose fix works."""
    board = tmp_path / "boards" / "small"
    board.mkdir(parents=True)
    manifest = (ROOT / "boards/mps2_an386/board.toml").read_text(encoding="utf-8")
    ram = 'ram = { origin = 0x2000_0000, size = "4M" }'
    assert ram in manifest
    small = manifest.replace(ram, ram.replace("4M", "25K"))
    (board / "board.toml").write_text(small, encoding="utf-8")
    model = models_dir / "mlperf_tiny" / "kws_int8.tflite"
    settings = ("board=small", f"boards={board.parent}", f"model={model}", "runtime=cmsis")
    done = ended(0, *settings, "run")
    assert "run row by row: 5," in done and "bit-exact with LiteRT: yes" in done
    refused = ended(2, *settings, "ram_budget=2K")
    assert "error BLD048" in refused
    fix = refused.partition("give ram_budget=")[2].split()[0]
    assert "row by row" in ended(0, *settings, f"ram_budget={fix}")


@pytest.mark.few(1)
@pytest.mark.parametrize("board", ["host", "mps2_an386"])
def test_rows_in_an_arena_of_the_caller(board: str, models_dir: Path) -> None:
    """Rows in an arena of the caller: one node of the model sums its input row by row."""
    model = models_dir / "mlperf_tiny" / "kws_int8.tflite"
    done = ended(0, f"board={board}", f"model={model}", "arena=caller", "ram_budget=6K", "run")
    assert "run row by row" in done and "bit-exact with LiteRT: yes" in done


def ended(status: int, *settings: str) -> str:
    done = scons(*settings)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr

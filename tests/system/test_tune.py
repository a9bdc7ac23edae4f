"""`tune`: what is measured in QEMU decides builds from then on, and stale figures end them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.system.project import convolutions
from toolchain.testing.firmware import build, scons

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.slow]
BOARD = "mps2_an386"


def test_what_is_measured_decides_until_it_is_stale(tmp_path: Path) -> None:
    model = tmp_path / "tuned.tflite"
    model.write_bytes(convolutions(layers=1))
    done = scons(f"board={BOARD}", f"model={model}", "tune")
    assert done.returncode == 0, done.stdout + done.stderr
    path = tmp_path / "tuned.tune.toml"
    stored = tomllib.loads(path.read_text())
    table = stored[f"{BOARD}-cmsis-balanced"]
    assert table["unit"] == "modelled_cycles"
    assert all(len(figures) > 1 for figures in table["nodes"].values())

    name = next(name for name, each in table["nodes"].items() if "dsp" in each)
    figures = table["nodes"][name]
    assert figures["dsp"] < figures["reference"]
    fast = f'"dsp" = {figures["dsp"]}'
    path.write_text(path.read_text().replace(fast, '"dsp" = 999999999'))
    report = json.loads((build(BOARD, model, tmp_path) / "report.json").read_text())
    assert report["tune"] == {"file": "tuned.tune.toml", "unit": "modelled_cycles"}
    node = next(node for node in report["nodes"] if node["name"] == name)
    assert node["kernel"] != "dsp"
    assert "was measured at 999999999" in node["why"]

    path.write_text(path.read_text().replace('model_sha256 = "', 'model_sha256 = "0'))
    done = scons(f"board={BOARD}", f"model={model}")
    assert done.returncode == 2
    assert "error BLD071" in done.stdout + done.stderr
    done = scons(f"board={BOARD}", f"model={model}", "tune=nowhere.toml")
    assert done.returncode == 2
    assert "error BLD003: tune=nowhere.toml does not exist" in done.stdout + done.stderr

"""A build folder is believed only when its parts fit together."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.build import beside, check_current, load_build
from tests.refusals import refusal
from tests.special import SPECIAL, replace_by


def report(**changes: Any) -> dict[str, Any]:
    tensor = {"name": "x", "dtype": "int8", "shape": [1, 4], "bytes": 4, "scale": 0.5}
    whole: dict[str, Any] = {
        "board": "mine",
        "sha256": hashlib.sha256(b"model").hexdigest(),
        "inputs": [tensor],
        "outputs": [tensor | {"name": "y", "zero_point": -3}],
        "firmware": {"sha256": hashlib.sha256(b"elf").hexdigest()},
    }
    return whole | changes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "firmware.elf").write_bytes(b"elf")
    (tmp_path / "report.json").write_text(json.dumps(report()))
    return tmp_path


def code(folder: Path) -> str:
    return refusal(load_build, folder).problems[0].code


def test_a_folder_that_is_missing_has_neighbours_with_more_words(folder: Path) -> None:
    (built := folder / "kws+size").mkdir()
    (folder / "kws+never").mkdir()
    (folder / "report.json").rename(built / "report.json")
    (problem,) = refusal(load_build, folder / "kws").problems
    assert problem.fix == f"name {built}, or build it: scons board=… model=…"


def test_a_right_folder(folder: Path) -> None:
    build = load_build(folder)
    assert build.board == "mine"
    assert build.outputs[0].zero_point == -3
    assert build.inputs[0].expected == ()
    assert build.inputs[0].shape == (1, 4)


def test_a_changed_firmware_is_stale(folder: Path) -> None:
    (folder / "firmware.elf").write_bytes(b"elf2")
    assert code(folder) == "RIG002"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", json.dumps(report(inputs=3)), json.dumps(report(inputs=[{"name": "x"}])),
     json.dumps(report(outputs=[{"name": "x", "dtype": "str", "shape": [1], "bytes": 1}])),
     json.dumps(report(outputs=[{"name": "x", "dtype": "int8", "shape": [9], "bytes": 1}])),
     json.dumps(report(outputs=[{"name": "x", "dtype": "int16", "shape": [4], "bytes": 4}])),
     json.dumps(report(inputs=[{"name": "x", "dtype": "int8", "shape": [1], "bytes": 1,
                                "expected": [1, 2]}])),
     json.dumps(report(inputs=[{"name": "x", "dtype": "int8", "shape": [1], "bytes": 1,
                                "expected": [1 << 9]}])),
     '{"a":' * 5000,
     json.dumps(report(inputs=[{"name": "x", "dtype": "int8", "shape": [float("inf")]}])),
     json.dumps(report(firmware={}))],
)  # fmt: skip
def test_a_garbled_report_is_reported(folder: Path, text: str) -> None:
    (folder / "report.json").write_text(text)
    assert code(folder) == "RIG001"


@pytest.mark.parametrize("name", ["report.json", "firmware.elf"])
def test_a_missing_part_is_reported(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert code(folder) == "RIG001"


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("name", ["report.json", "firmware.elf"])
def test_what_is_no_file_is_reported_at_once(folder: Path, name: str, kind: str) -> None:
    replace_by(folder / name, kind)
    assert code(folder) == "RIG001"
    assert beside(folder, "report.json") is None or name == "firmware.elf"


def test_another_model_or_board_is_stale(folder: Path) -> None:
    build = load_build(folder)
    model = folder / "m.tflite"
    model.write_bytes(b"model")
    check_current(build, model, "mine")
    with pytest.raises(ToolchainError, match="RIG002"):
        check_current(build, model, "other")
    model.write_bytes(b"another")
    with pytest.raises(ToolchainError, match="RIG002"):
        check_current(build, model, "mine")

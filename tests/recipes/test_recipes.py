"""Recipes of ai-edge-quantizer, where an interpreter with it is named; what is refused without."""

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.elsewhere import QUANTIZER, versions
from opsmith.errors import ToolchainError
from opsmith.frontend.tflite.counts import count_tensors
from opsmith.oracle.litert import Reference
from opsmith.prepare.accuracy import accuracy, ports
from opsmith.prepare.command import main as prepare
from opsmith.rig.dataset import load_samples
from tests.conftest import NO_QUANTIZER
from tests.recipes.__main__ import RECIPES, REFUSED, judged, main
from tests.recipes.network import write_float_digits
from tests.unit.prepare.fake_python import fake_python


@pytest.fixture
def python() -> str:
    """Python interpreter that has ai-edge-quantizer; skips the test without one."""
    found = os.environ.get("OPSMITH_QUANTIZER")
    if not (found or find_spec("ai_edge_quantizer")):
        pytest.skip(NO_QUANTIZER)
    return found or sys.executable


def test_the_float_network_reads_digits(tmp_path: Path) -> None:
    model = Reference(write_float_digits(tmp_path))
    data = load_samples(tmp_path / "set.npz", ports(model.inputs), 10)
    assert accuracy(model, data) == 352 / 360


def test_the_command_says_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"--python={fake_python(tmp_path, versions={})}"]) == 2
    assert "this Python has no ai-edge-quantizer" in capsys.readouterr().err


@pytest.mark.slow
def test_a_recipe_that_is_refused_has_a_row(tmp_path: Path) -> None:
    model = write_float_digits(tmp_path)
    python = fake_python(tmp_path / "p", status=4, said="ValueError: no")
    line, verdict = judged("int8", model, tmp_path / "made" / "digits.tflite", str(python))
    assert (line, verdict) == ("  MDL053: ai-edge-quantizer refuses: ValueError: no", REFUSED)


@pytest.mark.slow
def test_all_recipes_of_the_package_are_tried(python: str, tmp_path: Path) -> None:
    model = write_float_digits(tmp_path)
    own = ["--model", str(model), "--out", str(tmp_path / "out.tflite"), "--python", python]
    with pytest.raises(ToolchainError, match="MDL052") as raised:
        prepare([*own, "--calibrate", str(tmp_path / "set.npz"), "--recipe", "nope"])
    known = {*raised.value.problems[0].what.partition("there are ")[2].split(", ")}
    same = {"int8": "static_wi8_ai8", "int16x8": "static_wi8_ai16"}
    same |= {f"dynamic_wi{bits}c_afp32": f"dynamic_wi{bits}_afp32" for bits in (8, 4)}
    tried = {*RECIPES, *same} | {same[each] for each in RECIPES if each in same}
    assert not known - tried
    assert versions(python, QUANTIZER)[QUANTIZER]


@pytest.mark.slow
def test_a_model_is_quantised_to_equal_bytes_each_time(python: str, tmp_path: Path) -> None:
    model, found = write_float_digits(tmp_path), []
    for number in range(2):
        out = tmp_path / str(number) / model.name
        own = ["--calibrate", str(tmp_path / "set.npz"), "--python", python]
        prepare(["--model", str(model), "--out", str(out), *own])
        found.append(out.read_bytes() + out.with_name("prepared.json").read_bytes())
    assert found[0] == found[1]
    details = Reference(tmp_path / "0" / model.name).inputs
    assert [each.dtype for each in details] == [np.dtype(np.int8)]


@pytest.mark.slow
def test_a_recipe_may_be_a_file(python: str, tmp_path: Path) -> None:
    model, file = write_float_digits(tmp_path), tmp_path / "mine.json"
    weights = {"num_bits": 4, "symmetric": True, "granularity": "CHANNELWISE", "dtype": "INT"}
    how: dict[str, Any] = {"weight_tensor_config": weights, "compute_precision": "FLOAT"}
    how |= {"explicit_dequantize": True, "skip_checks": False, "min_weight_elements": 0}
    entry = {"regex": ".*", "operation": "FULLY_CONNECTED", "op_config": how}
    whole = [entry | {"algorithm_key": "min_max_uniform_quantize"}]
    own = ["--calibrate", str(tmp_path / "set.npz"), "--python", python, "--recipe", str(file)]
    own += ["--model", str(model), "--out", str(tmp_path / "made/digits.tflite")]
    for text in ("{", "null", "[1]", '[{"regex": "(", "operation": "*"}]'):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ToolchainError, match=r"MDL05[23]"):
            prepare(own)
    file.write_text(json.dumps(whole), encoding="utf-8")
    prepare(own)
    assert count_tensors(tmp_path / "made/digits.tflite").quantised == 1


@pytest.mark.slow
def test_a_recipe_builds_what_is_exact_or_refused_by_name(
    python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--python={python}", "--only=dynamic_wi4b32_afp32,dynamic_wi2c_afp32"]) == 0
    assert "2 recipes: 1 built, 1 refused by name" in capsys.readouterr().out

"""`opsmith tune` stores what it measured, and prints it, for programs as one object."""

import json
from pathlib import Path

import pytest

from opsmith.report.profile import Profile
from opsmith.rig import tune

REPORT = {"board": "b", "runtime": "cmsis", "opt": "speed", "sha256": "0" * 64}


def profile(kernel: str, cycles: int) -> Profile:
    taken = {"kernel": kernel, "taken": True}
    return Profile("b", {"cycles": "of it"}, [{"name": "y", "candidates": [taken]}], [[cycles]], ())


def test_what_was_measured_is_one_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    profiles = iter([profile("dsp", 7), profile("reference", 9)] * 2)
    monkeypatch.setattr(tune, "load_report", lambda _: REPORT | {"kernel_sources": {"add": "1"}})
    monkeypatch.setattr(tune, "_profile", lambda *_: next(profiles))
    file = tmp_path / "m.tune.toml"
    given = ["--builds=a", "--builds=b", f"--out={file}", "--model=m.tflite"]
    given += ["--board=b", "--boards=boards"]
    assert tune.main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "stored": str(file), "target": "b-cmsis-speed", "unit": "cycles",
        "nodes": {"y": {"dsp": 7, "reference": 9}}, "sources": {"add": "1"},
    }  # fmt: skip
    file.write_text("damaged")
    assert tune.main([*given, "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["unit"] == "cycles"
    assert "is written anew" in told.err


def test_a_model_without_a_choice_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tune, "load_report", lambda _: REPORT | {"kernel_sources": {}})
    monkeypatch.setattr(tune, "_profile", lambda *_: profile("reference", 9))
    given = ["--builds=a", f"--out={tmp_path / 'm.tune.toml'}", "--model=m.tflite"]
    assert tune.main([*given, "--board=b", "--boards=boards"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "each node has one kernel: there is nothing to choose"

"""The comparison of PyTorch's exports, where interpreters with the converters are named."""

import os
from pathlib import Path

import pytest

from tests.conftest import NO_CONVERTERS
from tests.converters.__main__ import KINDS, NOT_EXPORTED, judged, main, networks
from tests.keras.comparison import EQUAL, Verdict

FEW = "mlp,cumulative,two_inputs"


def test_there_are_thirty_networks() -> None:
    assert len({*networks()}) == len(networks()) == 30


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_says_what_it_lacks(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([kind]) == 2
    assert "--litert-torch=PYTHON" in capsys.readouterr().err


def test_an_interpreter_that_lacks_it_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litert-torch", "--litert-torch=/nowhere/python"]) == 2
    assert "/nowhere/python" in capsys.readouterr().err


def test_a_failed_export_says_why(tmp_path: Path) -> None:
    (tmp_path / "gru.txt").write_text("ValueError: no", encoding="utf-8")
    found = judged(tmp_path, ["gru", "lstm"], tmp_path, compiled=False)
    assert found == {
        "gru": Verdict(NOT_EXPORTED, "ValueError: no"),
        "lstm": Verdict(NOT_EXPORTED, "its process died"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_command_exports_and_compares(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    torch, onnx2tf = os.environ.get("OPSMITH_LITERT_TORCH"), os.environ.get("OPSMITH_ONNX2TF")
    if not torch or (kind == "onnx2tf" and not onnx2tf):
        pytest.skip(NO_CONVERTERS)
    named = [f"--litert-torch={torch}", f"--onnx2tf={onnx2tf}"]
    assert main([kind, *named, f"--only={FEW}", "--compiled"]) == 0
    assert f"3 {EQUAL}" in capsys.readouterr().out

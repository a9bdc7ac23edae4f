"""The comparison of exported models tells apart what may become of them."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Array
from opsmith.testing.host_firmware import HostFirmware
from opsmith.tflite.one_node import Build, one_node
from tests.conftest import NO_TENSORFLOW
from tests.keras import comparison
from tests.keras.__main__ import main
from tests.keras.comparison import DIFFERS, EQUAL, REFUSED, UNANSWERED, Verdict, compared
from tests.keras.oracle import oracle
from tests.programs import stored

FLOATS = ((2, 3), "float32")
BYTES = ((2, 8), "int8", 0.5, 3)


def pairs(op: str, dtype: str = "float32") -> Build:
    """Model of one operator of two tensors."""
    of = ((2, 3), dtype, 0.5 if dtype == "int16" else ())
    return one_node(op, {"a": of, "b": of}, {"y": of})


ADD = pairs("ADD")
ELU = one_node("ELU", {"x": FLOATS}, {"y": FLOATS})
SUM = one_node("SUM", {"x": BYTES, "axis": np.array([1], np.int32)}, {"y": ((2,), "int8", 4.0, 0)})
TILE = one_node(
    "TILE",
    {"x": BYTES, "multiples": np.array([1, 2], np.int32)},
    {"y": ((2, 16), "int8", 0.5, 3)},
    version=3,
)
NO_RANDOM = "MDL010 random numbers, as layers of training need is not supported"
RANDOM = one_node("RANDOM_UNIFORM", {"shape": np.array([2], np.int32)}, {"y": ((2,), "float32")})
BY_OTHER_KERNELS = "ELU by LiteRT's optimised kernels"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "verdict"),
    [
        (ADD, Verdict(EQUAL)),
        (TILE, Verdict(EQUAL)),  # LiteRT's reference kernel has an older version
        (ELU, Verdict(EQUAL, BY_OTHER_KERNELS)),
        (SUM, Verdict(UNANSWERED, "sum of int8")),
        (RANDOM, Verdict(REFUSED, f"{NO_RANDOM}: no op claims RANDOM_UNIFORM")),
        (pairs("SQUARED_DIFFERENCE", "int16"), UNANSWERED),
    ],
    ids=["equal", "newer_version", "no_reference_kernel", "wrong", "refused", "not_run"],
)
def test_verdicts(build: Build, verdict: Verdict | str, tmp_path: Path) -> None:
    (found,) = compared([stored(build, tmp_path)], tmp_path, compiled=False)
    assert (found.outcome if isinstance(verdict, str) else found) == verdict


@pytest.mark.slow
def test_another_answer_of_litert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = stored(pairs("SUB"), tmp_path, "other")
    monkeypatch.setattr(comparison, "oracle", lambda path: oracle(other))
    (found,) = compared([stored(ADD, tmp_path)], tmp_path, compiled=False)
    assert found == Verdict(DIFFERS, "add of float32")


@pytest.mark.slow
def test_another_answer_of_the_compiled_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [stored(ADD, tmp_path), stored(ELU, tmp_path, "elu")]
    good = compared(paths, tmp_path / "host", compiled=True)
    assert [each.outcome for each in good] == [EQUAL, EQUAL]
    run = HostFirmware.run

    def altered(self: HostFirmware, sets: list[list[Array]]) -> list[list[Array]]:
        offset = np.float32(self.number)  # the first model is left as it is
        return [[each + offset for each in values] for values in run(self, sets)]

    monkeypatch.setattr(HostFirmware, "run", altered)
    bad = compared(paths, tmp_path / "host", compiled=True)
    assert [each.outcome for each in bad] == [EQUAL, DIFFERS]


def test_the_command_says_how_to_install_tensorflow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main([]) == 2
    assert ".venv/bin/python -m pip install -e .[tensorflow]" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason=NO_TENSORFLOW)
def test_the_command_exports_and_compares(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only=mlp", "--schemes=int8,float32", "--compiled"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert "mlp  =             =" in [line.rstrip() for line in printed]

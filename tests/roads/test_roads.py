"""The command of the five roads: what exporters are given, and what it says of each road."""

import sys
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.roads import __main__ as roads
from tests.roads.network import MODEL, images, write_network

ROAD = roads.Road("made")


@pytest.fixture
def exporters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of stand-ins for exporters, which need no further packages."""
    monkeypatch.setattr(roads, "EXPORTERS", tmp_path)
    return tmp_path


def test_exporters_are_given_all_layers_as_real_numbers(tmp_path: Path) -> None:
    write_network(tmp_path / "n.npz")
    with np.load(tmp_path / "n.npz") as arrays:
        shapes = {name: array.shape for name, array in arrays.items() if name[0] == "w"}
        assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}
        assert arrays["images"].min() == 0
        assert arrays["images"].max() == 1
    assert [*shapes.values()] == [
        *((12, 3, 3, 1), (1, 3, 3, 12), (24, 1, 1, 12), (1, 3, 3, 24), (24, 1, 1, 24), (10, 96))
    ]


def test_what_an_exporter_writes_is_the_model(exporters: Path) -> None:
    lines = "import shutil, sys; shutil.copyfile(sys.argv[1], sys.argv[2] + '/made.tflite')"
    (exporters / "made.py").write_text(lines, encoding="utf-8")
    assert roads.exported(ROAD, sys.executable, exporters) == exporters / "made.tflite"


@pytest.mark.parametrize(("line", "reason"), [
    ("import no_such_package", "No module named 'no_such_package'"),
    ("raise SystemExit('\\x1b[31mred')", r"\x1b[31mred"),
    ("pass", "it wrote no made.tflite"),
])  # fmt: skip
def test_a_road_that_ends_early_says_why(exporters: Path, line: str, reason: str) -> None:
    (exporters / "made.py").write_text(line, encoding="utf-8")
    (exporters / "made.tflite").write_bytes(b"of a run before")
    found = roads.exported(ROAD, sys.executable, exporters)
    assert isinstance(found, str)
    assert reason in found


def test_nothing_walked_is_no_success(
    exporters: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roads, "ROADS", (ROAD,))
    assert roads.main([f"--python=made={exporters / 'none'}"]) == 2
    assert "made              not walked: [Errno 2]" in capsys.readouterr().out


def test_what_is_refused_is_a_failure(exporters: Path) -> None:
    (exporters / "made.tflite").write_bytes(b"no model")
    line, wrong = roads.measured(exporters / "made.tflite")
    assert wrong
    assert line.startswith("  refused: ")
    with pytest.raises(ToolchainError):
        read(exporters / "made.tflite", "made", shipped_ops())


@pytest.mark.slow
def test_accuracy_is_of_images_that_are_read_right(monkeypatch: pytest.MonkeyPatch) -> None:
    _, graph = read(MODEL, "digits", shipped_ops())
    some = images()[:40]
    monkeypatch.setattr(roads, "images", lambda: some)

    def shifted() -> Array:
        return np.concatenate([right[:30], right[30:] + 1])

    right = np.array([roads.answer(graph, image) for image in some])
    monkeypatch.setattr(roads, "labels", shifted)
    assert roads.accuracy(graph) == 0.75

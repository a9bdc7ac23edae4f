"""`tests.corpus`: which column a file is in, by a build of its own, or by what one says."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from opsmith.tflite.writer import ModelWriter
from tests import corpus
from tests.corpus import EXACT, OTHER, REFUSED, Limits, Ran

WRONG = "echo 'y: int8[4]'; echo 'bit-exact with LiteRT: no'; exit 1"
FIX = "error MDL010: no op claims CUSTOM.Gain\n  where: m.tflite: operator 0\n  fix:   {}\n"


def sums(custom: str = "") -> bytes:
    """Bytes of a model of one ADD, or of a CUSTOM operator."""
    m = ModelWriter()
    x, y = m.input("x", (4,), "int8", 0.5), m.tensor("y", (4,), "int8", 0.5)
    if custom:
        m.node("CUSTOM", [x], [y], custom=custom)
    else:
        m.node("ADD", [x, m.constant("c", np.array([1], np.int8), 0.5)], [y])
    m.output(y)
    return m.bytes()


@pytest.mark.slow
@pytest.mark.system
def test_a_folder_is_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of three models is scored: one builds, one cannot, one has a stand-in's build."""
    (tmp_path / "models" / "more").mkdir(parents=True)
    for name, content in (("exact", sums()), ("more/refused", sums("Gain")), ("wrong", b"")):
        (tmp_path / "models" / f"{name}.tflite").write_bytes(content)
    build = corpus.build
    monkeypatch.setattr(
        corpus, "build", lambda m: ["sh", "-c", WRONG] if m.stem == "wrong" else build(m)
    )
    stored = tmp_path / "scores.json"
    assert corpus.main([str(tmp_path / "models"), "--json", str(stored), "--jobs=2"]) == 1
    scores = json.loads(stored.read_text())
    columns = {Path(each["file"]).stem: each["column"] for each in scores}
    assert columns == {"exact": EXACT, "refused": REFUSED, "wrong": OTHER}, scores
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 4
    assert told[-1] == "3 files: 1 exact, 1 refused, 1 OTHER"


@pytest.mark.parametrize(("status", "text", "column"), [
    (0, "bit-exact with LiteRT: yes\n", EXACT),
    (0, "equal to the numpy models: yes (LiteRT cannot run this model)\n", EXACT),
    (0, "", OTHER),
    (1, "bit-exact with LiteRT: no\n", OTHER),
    (1, "bit-exact with LiteRT: no\nNOT EXACT: y (SUM): up to 1 unit\n", EXACT),
    (2, FIX.format("add the folder that claims it to ops="), REFUSED),
    (2, FIX.format(""), OTHER),
    (2, FIX.format("report it").replace("MDL010", "BLD099"), OTHER),
    (2, FIX.format("look").replace("MDL010", "RIG011"), OTHER),
    (1, "Traceback (most recent call last):\n", OTHER),
    (None, "bit-exact with LiteRT: yes\n", OTHER),
    (-11, "", OTHER),
])  # fmt: skip
def test_what_a_build_says_decides(status: int | None, text: str, column: str) -> None:
    assert corpus.judged("m.tflite", Ran(status, text)).column == column


def test_a_fix_is_run_where_it_is_a_command(tmp_path: Path) -> None:
    text = FIX.format("add it to ops=, or: opsmith new-op --from 'a b.tflite' --into DIR")
    command = ["opsmith", "new-op", "--from", "a b.tflite", "--into", str(tmp_path / "made")]
    assert corpus.advised(text * 2, tmp_path) == [command]
    for other in ("see opsmith -h", "name an op: opsmith new-op NAME", "run: scons … tune"):
        assert corpus.advised(FIX.format(other), tmp_path) == []


@pytest.mark.slow
def test_processes_are_limited() -> None:
    assert corpus.ran(["sh", "-c", "sleep 9 & wait"], Limits(seconds=0.2)) == Ran(None, "")
    large = [sys.executable, "-I", "-S", "-c", "bytearray(1 << 29)"]
    assert [corpus.ran(large, Limits(memory=each)).status for each in (256, 2048)] == [1, 0]


def test_files_and_folders_of_one_model_are_inputs(tmp_path: Path) -> None:
    for name in (
        "a/b.h",
        "a/saved/saved_model.pb",
        "a/saved/variables/x",
        "a/m.mlpackage/w",
        "z.zip",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    names = ("a/b.h", "a/m.mlpackage", "a/saved", "z.zip")
    assert corpus.inputs([tmp_path, tmp_path / "z.zip"]) == [tmp_path / each for each in names]

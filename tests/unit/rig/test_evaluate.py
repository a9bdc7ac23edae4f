"""A data set is tallied sample by sample, and goes on after a break where it was."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest

from opsmith.errors import Stopped, ToolchainError
from opsmith.rig import evaluate
from opsmith.rig.build import Build, PortTensor
from opsmith.rig.dataset import DataSet, load_set
from opsmith.rig.evaluate import RECORDS, Evaluation, Judge, classes_of
from opsmith.rig.records import recorded
from opsmith.rig.report import Tolerance
from opsmith.rig.rig import Rig
from opsmith.rig.tally import Tally, tally_text

X = PortTensor("x", "int8", (1, 4), 4, None, None)
Y = PortTensor("y", "int8", (1, 3), 3, None, None)
HEAD = {"set": "a", "firmware": "b"}


class FakeRig:
    """Rig that answers the first three values of its input; it stops before sample N."""

    title, cycles = "a rig", 7

    def __init__(self, build: Build, stops: int = -1) -> None:
        self.build, self.ran, self._stops = build, 0, stops

    def invoke(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        if self.ran == self._stops:
            raise Stopped(2)
        self.ran += 1
        return [inputs[0][:, :3]]


class FakeJudge(Judge):
    """Judge who finds outputs right whose first value is not negative."""

    def records(self, samples: Sequence[Any]) -> Iterator[dict[str, Any]]:
        for ran in samples:
            right = bool(ran.outputs[0][0, 0] >= 0)
            yield ran.record(self.build) | {"right": right, "agrees": {"a judge": right}}


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path, tmp_path / "x.elf", "b", "", (X,), (Y,), digest="cd")


@pytest.fixture
def data(tmp_path: Path) -> DataSet:
    x = np.array([[[i % 3 == 0, i % 3 == 1, i % 3 == 2, 0]] for i in range(10)], np.int8)
    x[9, 0, 0] = -1
    np.savez(tmp_path / "set.npz", x=x, labels=np.arange(10) % 3)
    return load_set(str(tmp_path / "set.npz"), (X,), 3)


def run(data: DataSet, rig: FakeRig) -> tuple[bool, Tally]:
    tally = Tally(classes_of(rig.build))
    judge = FakeJudge(rig.build, Path("m.tflite"), (), Tolerance(), None)
    file = rig.build.folder / RECORDS
    return Evaluation(cast(Rig, rig), data, judge, tally, file, "a board").run(), tally


def test_a_set_is_tallied(build: Build, data: DataSet) -> None:
    same, tally = run(data, FakeRig(build))
    found = tally.result()
    assert not same
    assert (found["samples"], found["exact"], found["accuracy"]) == (10, 9, 0.9)
    assert found["confusion"] == [[3, 1, 0], [0, 3, 0], [0, 0, 3]]
    assert found["classes"][0] | {"name": ""} == {
        "class": 0, "name": "", "samples": 4, "right": 3, "said": 3, "recall": 0.75,
        "precision": 1.0,
    }  # fmt: skip
    assert found["oracles"] == [{"title": "a judge", "agrees": 9, "of": 10}]
    assert found["ticks_each"] == 7
    assert "10 samples, accuracy 90.00%" in tally_text(found)[0]
    assert tally.picture().count("<rect") == 10


def test_a_run_goes_on_after_a_break(
    build: Build, data: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "_CHUNK", 4)
    with pytest.raises(Stopped):
        run(data, FakeRig(build, stops=6))
    rig = FakeRig(build)
    _, tally = run(data, rig)
    assert rig.ran == 4  # what was collected before the break was judged after it
    assert tally.result()["confusion"] == [[3, 1, 0], [0, 3, 0], [0, 0, 3]]


def test_slow_samples_are_judged_before_there_are_many(
    build: Build, data: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "_CHUNK_SECONDS", -1.0)
    counts = list[int]()
    judged = FakeJudge.records

    def counted(self: FakeJudge, samples: Sequence[Any]) -> Iterator[dict[str, Any]]:
        counts.append(len(samples))
        return judged(self, samples)

    monkeypatch.setattr(FakeJudge, "records", counted)
    run(data, FakeRig(build))
    assert counts == [1] * 10


def test_a_board_at_another_port_goes_on(build: Build, data: DataSet) -> None:
    with pytest.raises(Stopped):
        run(data, FakeRig(build, stops=6))
    rig = FakeRig(build)
    rig.title = "another port"
    run(data, rig)
    assert rig.ran == 4


def test_a_run_that_came_to_its_end_begins_anew(build: Build, data: DataSet) -> None:
    run(data, FakeRig(build))
    rig = FakeRig(build)
    run(data, rig)
    assert rig.ran == 10


def test_another_firmware_begins_anew(build: Build, data: DataSet) -> None:
    with pytest.raises(Stopped):
        run(data, FakeRig(build, stops=6))
    rig = FakeRig(replace(build, digest="ef"))
    run(data, rig)
    assert rig.ran == 10


def test_a_record_that_was_cut_off_is_run_again(tmp_path: Path) -> None:
    file, found = tmp_path / RECORDS, list[int]()
    with pytest.raises(Stopped), recorded(file, HEAD, lambda _: None) as (_, write):
        write({"i": 0})
        write({"i": 1})
        raise Stopped(2)
    file.write_bytes(file.read_bytes()[:-2])
    with recorded(file, HEAD, lambda each: found.append(each["i"])) as (count, write):
        write({"i": 5})
    assert (count, found) == (1, [0, 5])
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines == [HEAD, {"i": 0}, {"i": 5}, {"end": True}]


def test_records_that_cannot_be_written_are_reported(tmp_path: Path) -> None:
    (tmp_path / RECORDS).mkdir()
    with pytest.raises(ToolchainError, match="BLD002"), recorded(tmp_path / RECORDS, HEAD, print):
        pass


def test_an_autoencoder_is_scored_by_file() -> None:
    """An autoencoder is scored by file: it does not reproduce files of class 1."""
    tally = Tally(0)
    for label, file, score in ((0, "a", 1.0), (0, "a", 3.0), (0, "b", 5.0), (1, "c", 4.0)):
        record = {"label": label, "file": file, "score": score, "said": None, "ticks": 1}
        tally.add(record | {"right": True, "agrees": {}, "seconds": 0.5})
    found = tally.result()
    assert found["auc"] == 0.5  # c is above a, whose mean is 2, and below b
    assert found["accuracy"] is None
    assert "AUC 0.5000" in tally_text(found)[0]


def test_names_of_classes_are_text_in_the_picture() -> None:
    """Names are cut before they are escaped: half of an entity is no XML."""
    names = ["ab&cd", "<script>", "\"'&<", "a\x01\ud800"]
    picture = ElementTree.fromstring(Tally(4, names).picture())
    texts = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[1:] == [
        "ab&cd", "ab&cd", "<script>", "<scri", "\"'&<", "\"'&<", "a\\x01\\ud800", "a\\x01",
    ]  # fmt: skip

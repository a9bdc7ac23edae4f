"""Data sets are read sample by sample, and refused where they do not fit the model."""

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.build import PortTensor
from opsmith.rig.dataset import DataSet, load_batch, load_set

X = PortTensor("x", "int8", (1, 2, 3), 6, 0.5, -2)
VALUES = np.arange(60, dtype=np.int8).reshape(10, 2, 3)
LABELS = np.arange(10) % 4


def archive(folder: Path, **stored: np.ndarray) -> Path:
    np.savez_compressed(folder / "set.npz", **stored)  # type: ignore[arg-type]
    return folder / "set.npz"


def folder_of(folder: Path, text: str, **files: bytes) -> Path:
    for name, data in files.items():
        (folder / f"{name}.bin").write_bytes(data)
    (folder / "y_labels.csv").write_text(text)
    return folder


def loaded(path: Path | str, inputs: tuple[PortTensor, ...] = (X,), classes: int = 4) -> DataSet:
    return load_set(str(path), inputs, classes)


def refused(path: Path | str, code: str, **of: object) -> str:
    with pytest.raises(ToolchainError) as caught:
        loaded(path, **of)  # type: ignore[arg-type]
    assert {problem.code for problem in caught.value.problems} == {code}
    return caught.value.problems[0].what


@pytest.mark.parametrize("name", ["x", "images"])
@pytest.mark.parametrize("shape", [(10, 2, 3), (10, 1, 2, 3)])
def test_samples_of_an_archive(tmp_path: Path, name: str, shape: tuple[int, ...]) -> None:
    found = loaded(archive(tmp_path, labels=LABELS, **{name: VALUES.reshape(shape)}))
    assert found.count == 10
    for index, sample in enumerate(found.samples()):
        np.testing.assert_array_equal(sample.inputs[0], VALUES[index : index + 1])
        assert sample.label == LABELS[index]
    assert [sample.label for sample in found.samples(7)] == [*LABELS[7:]]


def test_samples_of_several_inputs(tmp_path: Path) -> None:
    y = PortTensor("y", "float32", (2,), 8, None, None)
    second = np.ones((10, 2), np.float32)
    path = archive(tmp_path, y=second, x=VALUES, truth=LABELS)
    (sample,) = loaded(path, (X, y)).samples(9)
    assert [each.dtype for each in sample.inputs] == [np.int8, np.float32]


def test_another_set_has_another_digest(tmp_path: Path) -> None:
    first = loaded(archive(tmp_path, x=VALUES, labels=LABELS)).digest
    assert loaded(archive(tmp_path, x=VALUES, labels=LABELS)).digest == first
    assert loaded(archive(tmp_path, x=VALUES, labels=LABELS[::-1])).digest != first
    assert loaded(archive(tmp_path, x=-VALUES, labels=LABELS)).digest != first
    text = "a.bin,4,0\n"
    first = loaded(folder_of(tmp_path, text, a=bytes(6))).digest
    assert loaded(folder_of(tmp_path, text, a=bytes(5) + b"x")).digest != first


@pytest.mark.slow
def test_memory_does_not_grow_with_the_set(tmp_path: Path) -> None:
    large = PortTensor("x", "int8", (100, 1000), 100_000, None, None)
    path = archive(tmp_path, x=np.zeros((300, 100, 1000), np.int8), labels=np.zeros(300, int))
    tracemalloc.start()
    count = sum(1 for _ in loaded(path, (large,)).samples())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 300
    assert peak < 3_000_000 < path.stat().st_size + 300 * 100_000


def test_files_of_a_folder(tmp_path: Path) -> None:
    path = folder_of(tmp_path, "a.bin, 4, 3\nb.bin, 4, 0\n", a=bytes(range(6)), b=b"\xff" * 6)
    first, second = loaded(path).samples()
    assert first.inputs[0].tolist() == [[[0, 1, 2], [3, 4, 5]]]
    assert (first.label, first.file, second.label) == (3, "a.bin", 0)
    assert second.inputs[0].min() == -1


def test_windows_slide_over_a_file(tmp_path: Path) -> None:
    path = folder_of(tmp_path, "a.bin,2,1,6,2\nb.bin,2,0\n", a=bytes(range(11)), b=bytes(6))
    found = loaded(path)
    assert found.count == 4
    assert [sample.inputs[0][0, 0, 0] for sample in found.samples()] == [0, 2, 4, 0]
    assert [sample.file for sample in found.samples(2)] == ["a.bin", "b.bin"]


def test_pixels_and_real_values(tmp_path: Path) -> None:
    path = folder_of(tmp_path, "a.bin,4,0\n", a=bytes([0, 128, 255, 1, 2, 3]))
    (sample,) = loaded(f"{path}:uint8").samples()
    assert sample.inputs[0].reshape(-1).tolist() == [-128, 0, 127, -127, -126, -125]
    folder_of(tmp_path, "a.bin,4,0\n", a=np.array([0, 1, -1, 999, 0.5, 0.3], "<f4").tobytes())
    (sample,) = loaded(f"{path}:float32").samples()
    assert sample.inputs[0].reshape(-1).tolist() == [-2, 0, -4, 127, -1, -1]


def test_a_set_without_labels_is_refused(tmp_path: Path) -> None:
    assert "no labels" in refused(archive(tmp_path, x=VALUES), "RIG058")
    assert "y_labels.csv" in refused(tmp_path, "RIG058")
    assert "no lines" in refused(folder_of(tmp_path, "\n"), "RIG058")
    long = folder_of(tmp_path, "a")
    os.truncate(long / "y_labels.csv", 1 << 40)
    assert "it is no table: it has" in refused(long, "RIG058")
    assert "it is no table: field larger" in refused(folder_of(tmp_path, "a" * 140_000), "RIG058")


def test_a_class_that_the_model_lacks_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, x=VALUES, labels=LABELS)
    assert "class 3 is named, and there are classes 0 to 2" in refused(path, "RIG058", classes=3)
    path = folder_of(tmp_path, "a.bin,4,-1\n", a=bytes(6))
    assert "class -1" in refused(path, "RIG058")


@pytest.mark.parametrize("stored", [
    {"x": VALUES.astype(np.int16)},
    {"x": VALUES.reshape(10, 6)},
    {"x": VALUES[:9]},
    {"x": np.asfortranarray(VALUES)},
    {"z": VALUES, "other": VALUES},
    {"x": VALUES[:0], "labels": LABELS[:0]},
], ids=["dtype", "shape", "count", "fortran", "names", "empty"])  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, stored: dict[str, np.ndarray]) -> None:
    assert refused(archive(tmp_path, **{"labels": LABELS, **stored}), "RIG013")


@pytest.mark.parametrize(("text", "what"), [
    ("a.bin\n", "it has 1 fields"),
    ("../a.bin,4,0\n", "is no file of the folder"),
    ("none.bin,4,0\n", "No such file"),
    ("b.bin,4,0\n", "its file has 7 bytes, not 6"),
    ("a.bin,4,one\n", "invalid literal"),
    ("a.bin,4,0,6,9\nb.bin,4,x,6,1\n", "line 2"),
])  # fmt: skip
def test_lines_that_do_not_fit_are_refused(tmp_path: Path, text: str, what: str) -> None:
    assert what in refused(folder_of(tmp_path, text, a=bytes(6), b=bytes(7)), "RIG013")


@pytest.mark.parametrize("name", ["none.npz", "y_labels.csv"])
def test_what_is_no_set_is_refused(tmp_path: Path, name: str) -> None:
    folder_of(tmp_path, "a.bin,4,0\n")
    refused(tmp_path / name, "RIG012")


def test_a_set_that_is_cut_off_is_reported_where_it_ends(tmp_path: Path) -> None:
    path = archive(tmp_path, x=VALUES, labels=LABELS)
    found = loaded(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ToolchainError, match="RIG012"):
        list(found.samples())


def test_a_batch_has_no_labels(tmp_path: Path) -> None:
    y = PortTensor("y", "float32", (2,), 8, None, None)
    found = load_batch(archive(tmp_path, y=np.ones((10, 2), np.float32), x=VALUES), (X, y))
    assert found
    assert (found.count, found.labelled) == (10, False)
    for index, sample in enumerate(found.samples()):
        np.testing.assert_array_equal(sample.inputs[0], VALUES[index : index + 1])
        assert sample.label is None


@pytest.mark.parametrize("shape", [(1, 2, 3), (3, 2), (10, 3, 2)])
def test_one_input_or_arrays_that_do_not_fit_are_no_batch(
    tmp_path: Path, shape: tuple[int, ...]
) -> None:
    assert load_batch(archive(tmp_path, x=np.zeros(shape, np.int8)), (X,)) is None


def test_a_batch_of_other_counts_is_refused(tmp_path: Path) -> None:
    y = PortTensor("y", "int8", (2,), 2, None, None)
    path = archive(tmp_path, x=VALUES, y=np.ones((9, 2), np.int8))
    with pytest.raises(ToolchainError, match="RIG013.*arrays of 9 and 10 samples"):
        load_batch(path, (X, y))

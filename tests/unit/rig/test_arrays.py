"""Inputs and outputs as npz files: what fits is taken, what does not is reported."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.rig import arrays
from opsmith.rig.build import PortTensor
from tests.refusals import refusal

A = PortTensor("a/b:0", "int8", (1, 4), 4, None, None)
B = PortTensor("file", "float32", (2,), 8, None, None)
VALUES: list[arrays.Array] = [np.array([[1, 2, 3, -4]], np.int8), np.array([0.5, -1], np.float32)]


def code(path: Path) -> str:
    return refusal(arrays.load, path, [A, B]).problems[0].code


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    arrays.save(path, [A, B], VALUES)
    with np.load(path) as file:
        assert file.files == ["a/b:0", "file"]
    for loaded, value in zip(arrays.load(path, [A, B]), VALUES, strict=True):
        np.testing.assert_array_equal(loaded, value)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("shape", "fix"), [
    ((1, 3, 8, 9), "give int8[1, 8, 9, 3], channels last: numpy.moveaxis(array, 1, -1)"),
    ((1, 9, 8, 3), "give int8[1, 8, 9, 3]"),
    ((216,), "give int8[1, 8, 9, 3]"),
])  # fmt: skip
def test_channels_first_are_to_be_moved(shape: tuple[int, ...], fix: str, tmp_path: Path) -> None:
    """A model of another framework has its images with channels last; to reshape is no remedy."""
    image = PortTensor("x", "int8", (1, 8, 9, 3), 216, None, None)
    np.savez(tmp_path / "x.npz", x=np.zeros(shape, np.int8))
    (problem,) = refusal(arrays.load, tmp_path / "x.npz", [image]).problems
    assert (problem.code, problem.fix) == ("RIG013", fix)


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    arrays.save(tmp_path / "1.npz", [A, B], VALUES)
    arrays.save(tmp_path / "2.npz", [A, B], VALUES)
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()


def test_unnamed_arrays_go_in_order(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", *VALUES)
    np.testing.assert_array_equal(arrays.load(tmp_path / "x.npz", [A, B])[1], VALUES[1])


@pytest.mark.parametrize("stored", [
    {"a/b:0": VALUES[0]},
    {"a/b:0": VALUES[0], "fil": VALUES[1]},
    {"a/b:0": VALUES[0], "arr_1": VALUES[1]},
    {"arr_0": VALUES[0]},
    {"arr_0": VALUES[1], "arr_1": VALUES[0]},
    {"arr_0": VALUES[0].astype(np.int16), "arr_1": VALUES[1]},
    {"arr_0": VALUES[0].reshape(4), "arr_1": VALUES[1]},
])  # fmt: skip
def test_what_does_not_fit_is_reported(tmp_path: Path, stored: dict[str, Any]) -> None:
    np.savez(tmp_path / "x.npz", **stored)
    assert code(tmp_path / "x.npz") == "RIG013"


def test_an_array_in_fortran_order_is_loaded(tmp_path: Path) -> None:
    tensor = PortTensor("x", "int16", (2, 3), 12, None, None)
    value = np.arange(6, dtype=np.int16).reshape(3, 2).T
    np.savez(tmp_path / "x.npz", x=value)
    (loaded,) = arrays.load(tmp_path / "x.npz", [tensor])
    np.testing.assert_array_equal(loaded, value)
    assert arrays.to_bytes(loaded) == value.tobytes("C")


@pytest.mark.parametrize(("change", "message"), [
    (lambda data: data[:-1], "ends within its data, 1 bytes early"),
    (lambda data: data[:20], "array header"),
    (lambda data: data + b"x", "does not hold the 4 bytes of int8[1, 4]"),
    (lambda data: b"\x94" + data[1:], "magic"),
    (lambda data: data.replace(b"(1, 4)", b"(-1,4)"), "its shape is (-1, 4)"),
    (lambda data: data.replace(b"(1, 4)", b"(True,4)"), "its shape is (True, 4)"),
    (lambda data: data.replace(b"False", b"0    "), "fortran_order"),
])  # fmt: skip
def test_a_damaged_array_is_reported(
    tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    whole, damaged = tmp_path / "whole.npz", tmp_path / "x.npz"
    np.savez(whole, *VALUES)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(damaged, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, change(data) if name == "arr_0.npy" else data)
    (problem,) = refusal(arrays.load, damaged, [A, B]).problems
    assert (problem.code, message in problem.what) == ("RIG012", True), problem.what


def test_a_damaged_archive_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, *VALUES)
    content = path.read_bytes()
    path.write_bytes(content.replace(VALUES[0].tobytes(), b"abcd"))
    assert "Bad CRC-32" in refusal(arrays.load, path, [A, B]).problems[0].what
    path.write_bytes(content[:-30])
    assert code(path) == "RIG012"


def test_numbers_of_another_order_of_bytes_are_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", VALUES[0], VALUES[1].astype(">f4"))
    loaded = arrays.load(tmp_path / "x.npz", [A, B])[1]
    np.testing.assert_array_equal(loaded, VALUES[1], strict=True)


def test_many_arrays_that_are_not_inputs_are_reported_in_few_lines(tmp_path: Path) -> None:
    others: dict[str, Any] = {f"other_{number}": VALUES[0] for number in range(100)}
    np.savez(tmp_path / "x.npz", **others)
    caught = refusal(arrays.load, tmp_path / "x.npz", [A, B])
    assert len(caught.problems) < 30
    assert "80 more arrays" in str(caught)


@pytest.mark.parametrize("dtype", [np.dtype([("a", "<f4"), ("b", "i1")]), "datetime64[s]", "O"])
def test_elements_that_are_no_numbers_do_not_fit(tmp_path: Path, dtype: Any) -> None:
    np.savez(tmp_path / "x.npz", np.zeros((1, 4), dtype), VALUES[1], allow_pickle=True)
    assert code(tmp_path / "x.npz") == "RIG013"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_no_archive(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "x.npz")
    assert code(tmp_path / "x.npz") == "RIG012"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_reported(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        for _ in range(2):
            archive.writestr("arr_0.npy", b"")
    (problem,) = refusal(arrays.load, tmp_path / "x.npz", [A]).problems
    assert problem.code == "RIG012" and "array 'arr_0' is there 2 times" in problem.what


def test_a_bool_is_0_or_1(tmp_path: Path) -> None:
    tensor = PortTensor("x", "bool", (2,), 2, None, None)
    np.savez(tmp_path / "x.npz", x=np.array([1, 2], np.int8).view(np.bool_))
    (problem,) = refusal(arrays.load, tmp_path / "x.npz", [tensor]).problems
    assert problem.code == "RIG012" and "a bool is neither 0 nor 1" in problem.what


def test_a_single_array_is_no_archive(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", VALUES[0])
    with pytest.raises(ToolchainError, match=r"RIG012.*a single array \(.npy\)"):
        arrays.load(tmp_path / "x.npy", [A])


NAMES = ["a\0b", "\udcff", "\x1b[2J", "../../x", "x" * 70_000, "\n", ""]


def test_arrays_of_tensors_with_any_name_come_back(tmp_path: Path) -> None:
    tensors = [PortTensor(name, "int8", (1,), 1, None, None) for name in NAMES]
    values: list[arrays.Array] = [np.array([number], np.int8) for number in range(len(NAMES))]
    arrays.save(tmp_path / "x.npz", tensors, values)
    assert np.concatenate(arrays.load(tmp_path / "x.npz", tensors)).tolist() == list(range(7))
    assert all(name.isprintable() for name in arrays.names(tensors))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04rubbish", b"\x93NUMPY", None])
def test_what_is_no_npz_is_reported(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.npz"
    if content is not None:
        path.write_bytes(content)
    assert code(path) == "RIG012"


def test_seeded_input_covers_the_range_and_repeats() -> None:
    big = PortTensor("x", "int8", (10_000,), 10_000, None, None)
    first, second = arrays.seeded([big])[0], arrays.seeded([big])[0]
    np.testing.assert_array_equal(first, second)
    assert (first.min(), first.max()) == (-128, 127)


def test_seeded_input_is_what_is_expected_of_it() -> None:
    sizes = PortTensor("x", "int32", (2, 1), 8, None, None, expected=(3, 4))
    (found,) = arrays.seeded([sizes])
    np.testing.assert_array_equal(found, np.array([[3], [4]], np.int32), strict=True)


def test_bytes_are_little_endian_and_come_back() -> None:
    value = np.array([1, -2], np.int16)
    tensor = PortTensor("x", "int16", (2,), 4, None, None)
    assert arrays.to_bytes(value) == b"\x01\x00\xfe\xff"
    np.testing.assert_array_equal(arrays.from_bytes(arrays.to_bytes(value), tensor), value)


def test_equal_names_are_reported_apart() -> None:
    assert arrays.names([A, A, PortTensor("", "int8", (1,), 1, None, None)]) == [
        "a/b:0",
        "a/b:0_1",
        "tensor_2",
    ]
    told = [PortTensor(name, "int8", (1,), 1, None, None) for name in ("a_2", "a", "a")]
    assert arrays.names(told) == ["a_2", "a", "a_2_2"]

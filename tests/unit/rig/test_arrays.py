"""Inputs and outputs as npz files: what fits is taken, what does not is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toolchain.errors import ToolchainError
from toolchain.rig import arrays
from toolchain.rig.build import Tensor

A = Tensor("a/b:0", "int8", (1, 4), 4, None, None)
B = Tensor("file", "float32", (2,), 8, None, None)
VALUES: list[arrays.Array] = [np.array([[1, 2, 3, -4]], np.int8), np.array([0.5, -1], np.float32)]


def code(path: Path) -> str:
    with pytest.raises(ToolchainError) as caught:
        arrays.load(path, [A, B])
    return caught.value.problems[0].code


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    arrays.save(path, [A, B], VALUES)
    with np.load(path) as file:
        assert file.files == ["a/b:0", "file"]
    for loaded, value in zip(arrays.load(path, [A, B]), VALUES, strict=True):
        np.testing.assert_array_equal(loaded, value)
    assert list(tmp_path.iterdir()) == [path]


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    arrays.save(tmp_path / "1.npz", [A, B], VALUES)
    arrays.save(tmp_path / "2.npz", [A, B], VALUES)
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()


def test_unnamed_arrays_go_in_order(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", *VALUES)
    np.testing.assert_array_equal(arrays.load(tmp_path / "x.npz", [A, B])[1], VALUES[1])


@pytest.mark.parametrize(
    "stored",
    [
        {"a/b:0": VALUES[0]},
        {"a/b:0": VALUES[0], "fil": VALUES[1]},
        {"a/b:0": VALUES[0], "arr_1": VALUES[1]},
        {"arr_0": VALUES[0]},
        {"arr_0": VALUES[1], "arr_1": VALUES[0]},
        {"arr_0": VALUES[0].astype(np.int16), "arr_1": VALUES[1]},
        {"arr_0": VALUES[0].reshape(4), "arr_1": VALUES[1]},
    ],
)
def test_what_does_not_fit_is_told(tmp_path: Path, stored: dict[str, Any]) -> None:
    np.savez(tmp_path / "x.npz", **stored)
    assert code(tmp_path / "x.npz") == "RIG013"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04rubbish", b"\x93NUMPY", None])
def test_what_is_no_npz_is_told(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.npz"
    if content is not None:
        path.write_bytes(content)
    assert code(path) == "RIG012"


def test_pickles_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", np.array([{"a": 1}], dtype=object), VALUES[1])
    assert code(tmp_path / "x.npz") == "RIG012"


def test_seeded_input_covers_the_range_and_repeats() -> None:
    big = Tensor("x", "int8", (10_000,), 10_000, None, None)
    first, second = arrays.seeded([big])[0], arrays.seeded([big])[0]
    np.testing.assert_array_equal(first, second)
    assert (first.min(), first.max()) == (-128, 127)


def test_bytes_are_little_endian_and_come_back() -> None:
    value = np.array([1, -2], np.int16)
    tensor = Tensor("x", "int16", (2,), 4, None, None)
    assert arrays.to_bytes(value) == b"\x01\x00\xfe\xff"
    np.testing.assert_array_equal(arrays.from_bytes(arrays.to_bytes(value), tensor), value)


def test_equal_names_are_told_apart() -> None:
    assert arrays.names([A, A, Tensor("", "int8", (1,), 1, None, None)]) == [
        "a/b:0",
        "a/b:0_1",
        "tensor_2",
    ]

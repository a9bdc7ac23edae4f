"""Inputs and outputs as npz files: what fits is taken, what does not is reported."""

import bz2
import lzma
import os
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.rig import arrays
from opsmith.rig.build import PortTensor
from tests.fuzz.zip_writer import Directory, Member, archive, deflated, stored
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
def test_what_does_not_fit_is_reported(tmp_path: Path, stored: dict[str, Any]) -> None:
    np.savez(tmp_path / "x.npz", **stored)
    assert code(tmp_path / "x.npz") == "RIG013"


def npy(value: arrays.Array, **header: Any) -> bytes:
    """Bytes of an npy member, whose header may claim something else."""
    fields = {"descr": value.dtype.str, "fortran_order": False, "shape": value.shape}
    return raw(repr(fields | header), value.tobytes())


def raw(text: str, data: bytes = b"") -> bytes:
    """Bytes of an npy member with the given text as header."""
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode() + data


def holding(data: bytes) -> dict[str, Any]:
    """Fields of a whole member of an archive that holds the given bytes."""
    return {"data": data, "crc": zlib.crc32(data), "unpacked": None}


FIRST, SECOND = stored("arr_0.npy", npy(VALUES[0])), stored("arr_1.npy", npy(VALUES[1]))


def file_of(folder: Path, *members: Member) -> Path:
    """Path of an npz file of the given members."""
    (folder / "x.npz").write_bytes(archive(members, Directory()))
    return folder / "x.npz"


def test_what_the_writer_of_these_tests_writes_is_loaded(tmp_path: Path) -> None:
    path = file_of(tmp_path, FIRST, deflated("arr_1.npy", npy(VALUES[1])))
    np.testing.assert_array_equal(arrays.load(path, [A, B])[1], VALUES[1])


def test_an_array_in_fortran_order_is_loaded(tmp_path: Path) -> None:
    tensor = PortTensor("x", "int16", (2, 3), 12, None, None)
    value = np.arange(6, dtype=np.int16).reshape(3, 2).T
    np.savez(tmp_path / "x.npz", x=value)
    (loaded,) = arrays.load(tmp_path / "x.npz", [tensor])
    np.testing.assert_array_equal(loaded, value)
    assert arrays.to_bytes(loaded) == value.tobytes("C")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"data": b"\xff" * 20, "method": 8}, "invalid"),
        ({"data": bz2.compress(b"x"), "method": 12}, "method 12"),
        ({"data": lzma.compress(b"x"), "method": 14}, "method 14"),
        ({"method": 99}, "method 99"),
        ({"flags": 1}, "encrypted"),
        ({"flags": 0x20}, "patched"),
        ({"crc": 1}, "Bad CRC-32"),
        ({"name": b"arr_1.npy"}, "is there twice"),
        ({"name": b"\x1b[2J"}, r"member '\x1b[2J' is not an array"),
        ({"name": b"\xff.npy", "flags": 0x800}, "utf-8"),
        ({"local_name": b"other.npy"}, "differ"),
        (holding(npy(VALUES[0])[:-1]), "does not hold the 4 bytes"),
        (holding(npy(VALUES[0])[:60]), "ends within its header"),
        (holding(npy(VALUES[0]) + b"x"), "does not hold the 4 bytes"),
    ],
)
def test_a_damaged_member_is_reported(tmp_path: Path, damage: dict[str, Any], message: str) -> None:
    path = file_of(tmp_path, Member(**(vars(FIRST) | damage)), SECOND)
    (problem,) = refusal(arrays.load, path, [A, B]).problems
    assert problem.code == "RIG012"
    assert message in problem.what


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (npy(VALUES[0], shape=(-1, 4)), "RIG012"),
        (npy(VALUES[0], shape=(1,) * 70), "RIG012"),
        (npy(VALUES[0], shape=(2**70,)), "RIG012"),
        (npy(VALUES[0], shape=(1, 4.0)), "RIG012"),
        (npy(VALUES[0], shape=None), "RIG012"),
        (npy(VALUES[0], descr="|O"), "RIG012"),
        (npy(VALUES[0], fortran_order=1), "RIG012"),
        (raw("{" * 5000), "RIG012"),
        (raw("-" * 9000 + "1"), "RIG012"),
        (raw("(" * 190 + ")" * 190), "RIG012"),
        (raw(" " * 12000), "RIG012"),
        (raw("__import__('os').abort()"), "RIG012"),
        (npy(VALUES[0], shape=(3_000_000_000,)), "RIG013"),
        (npy(VALUES[0], shape=(9,) * 60), "RIG013"),
        (npy(VALUES[0], descr=[("a", "<f4"), ("b", "|i1")]), "RIG013"),
        (npy(VALUES[0], descr=">i2"), "RIG013"),
        (npy(VALUES[0], descr="<M8[s]"), "RIG013"),
    ],
)
def test_a_header_that_cannot_be_is_reported(tmp_path: Path, content: bytes, expected: str) -> None:
    assert code(file_of(tmp_path, stored("arr_0.npy", content), SECOND)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("claimed", [(3 << 30,), (1, 4)])
def test_what_unpacks_to_gigabytes_is_not_unpacked(
    tmp_path: Path, claimed: tuple[int, ...]
) -> None:
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    start = packer.compress(npy(VALUES[0], shape=claimed)) + packer.flush(zlib.Z_FULL_FLUSH)
    zeros = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    data = start + zeros * 3072
    path = file_of(tmp_path, Member(b"arr_0.npy", data, 8, unpacked=3 << 30), SECOND)
    tracemalloc.start()
    begin = time.process_time()
    assert code(path) == ("RIG012" if claimed == (1, 4) else "RIG013")
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()
    assert time.process_time() - begin < 5  # it takes milliseconds


@pytest.mark.slow
def test_a_crowd_of_arrays_is_reported_in_few_lines(tmp_path: Path) -> None:
    crowd = [stored(f"{number}.npy", b"") for number in range(2000)]
    caught = refusal(arrays.load, file_of(tmp_path, *crowd), [A, B])
    assert len(caught.problems) < 30
    assert "1980 more arrays" in str(caught)


def test_a_file_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    with (tmp_path / "x.npz").open("wb") as file:
        file.write(archive([FIRST, SECOND], Directory(size=2**31, offset=0)))
        file.seek(2**31)
        file.write(archive([FIRST, SECOND], Directory(size=2**31, offset=0)))
    assert code(tmp_path / "x.npz") == "RIG012"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_reported(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "x.npz")
    assert code(tmp_path / "x.npz") == "RIG012"


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


def test_pickles_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", np.array([{"a": 1}], dtype=object), VALUES[1])
    assert code(tmp_path / "x.npz") == "RIG012"


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

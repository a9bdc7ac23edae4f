"""Outputs as npz files: what cannot be written is told, and the earlier file stays."""

import os
import resource
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.rig import arrays
from tests.unit.rig.test_arrays import VALUES, A, B, code


@contextmanager
def full_disk() -> Iterator[None]:
    """Limit files to 100 bytes, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def refused(path: Path, early: bool = True) -> None:
    """Require that outputs are not written, and that a foreseeable refusal comes before the run."""
    with pytest.raises(ToolchainError, match="RIG012"):
        arrays.save(path, [A, B], VALUES)
    if early:
        with pytest.raises(ToolchainError, match="RIG012"):
            arrays.require_writable(path)


def test_what_cannot_be_written_leaves_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(b"earlier")
    with full_disk():
        refused(path, early=False)
    monkeypatch.setattr("os.access", lambda *_: False)  # as of a read-only file; root may all
    refused(path)
    assert path.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_only_files_are_replaced(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "x")
    refused(tmp_path / "x")
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


def test_only_npz_files_are_replaced_whatever_their_names(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Mine")
    refused(tmp_path / "README.md")
    assert (tmp_path / "README.md").read_text() == "# Mine"
    with zipfile.ZipFile(tmp_path / "weights.zip", "w") as archive:
        archive.writestr("weights.bin", b"1")
    refused(tmp_path / "weights.zip")
    for name, before in (("empty", b""), ("damaged.npz", b"PQ")):
        (tmp_path / name).write_bytes(before)
        for _ in range(2):
            arrays.save(tmp_path / name, [A, B], VALUES)
            arrays.require_writable(tmp_path / name)


@pytest.mark.parametrize("name", ["none/x.npz", "x" * 300, "a\0b", "."])
def test_a_path_that_cannot_be_is_reported(tmp_path: Path, name: str) -> None:
    refused(tmp_path / name)
    assert code(tmp_path / name) == "RIG012"

"""Digests of files are kept from one process to the next, for as long as the files stay."""

import hashlib
import os
import time
from pathlib import Path

import pytest

from opsmith.digests import FILE, RECENT, SECOND, Digests, stamp_of
from opsmith.errors import ToolchainError
from opsmith.guard import coded
from tests.special import SPECIAL, replace_by


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Path of a file in a project, written long enough ago."""
    monkeypatch.chdir(tmp_path)
    Path("build").mkdir()
    Path("source.h").write_text("one")
    time.sleep(2 * RECENT / SECOND)
    return "source.h"


def kept(path: str) -> str:
    """Keep the digest of a file; returns it."""
    known = Digests(FILE)
    found = known.of(path)
    known.keep()
    return found


def test_later_processes_know_it_until_it_is_edited(source: str) -> None:
    assert kept(source) == hashlib.sha256(b"one").hexdigest()
    before = os.stat(source)
    assert Digests(FILE).settled(source) == stamp_of(source)
    Path(source).write_text("two")  # of the same size
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert Digests(FILE).of(source) == hashlib.sha256(b"two").hexdigest()
    os.unlink(source)
    assert Digests(FILE).of(source) == "absent"


def test_processes_side_by_side_keep_what_both_have_found(source: str) -> None:
    Path("other.h").write_text("other")
    time.sleep(2 * RECENT / SECOND)
    one, other = Digests(FILE), Digests(FILE)
    one.of(source)
    other.of("other.h")
    one.keep()
    other.keep()
    assert None not in (Digests(FILE).settled(each) for each in (source, "other.h"))


def test_a_file_that_could_be_written_again_unnoticed_is_not_kept(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(source).write_text("two")
    kept(source)
    assert Digests(FILE).settled(source) is None
    now = time.time_ns() // SECOND * SECOND  # as a file system has it that knows no fractions
    for ago, settled in ((1, False), (4, True)):
        known, stamp = Digests(), (3, now - ago * SECOND, now - ago * SECOND, 1)
        monkeypatch.setattr("opsmith.digests._stamp", lambda found, stamp=stamp: stamp)
        known.of(source, stamp)
        assert (known.settled(source) is not None) is settled


def test_a_file_that_is_another_one_by_now_is_not_kept(source: str) -> None:
    """No digest is kept of a file that is replaced meanwhile, such as by turning a link while it is
    opened.
    """
    known = Digests()
    known.of(source, (*stamp_of(source)[:3], 1))
    assert known.settled(source) is None


def test_data_is_read_by_each_process(source: str) -> None:
    """Data is read by each process, since programs may write it by mapped memory, which times need
    not show.
    """
    os.rename(source, "model.tflite")
    time.sleep(2 * RECENT / SECOND)
    assert kept("model.tflite") == kept("model.tflite")
    assert not FILE.exists()


@pytest.mark.parametrize("absolute", [False, True])
def test_products_are_read_by_each_process(source: str, absolute: bool) -> None:
    product = os.path.abspath("build/product.h") if absolute else "build/product.h"
    os.rename(source, product)
    time.sleep(2 * RECENT / SECOND)
    kept(product)
    assert not FILE.exists()


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", b"\xff\n[", b"[]", b'{"a": 1}', b'{"a": []}'])
def test_a_damaged_file_is_as_good_as_none(source: str, damage: bytes) -> None:
    kept(source)
    FILE.write_bytes(damage)
    assert Digests(FILE).settled(source) is None
    kept(source)
    assert Digests(FILE).settled(source) is not None


def test_a_source_with_holes_is_not_read(tmp_path: Path) -> None:
    replace_by(tmp_path / "x.h", "hole")
    with pytest.raises(ToolchainError, match="BLD111: is a source of 1,099"):
        Digests().of(str(tmp_path / "x.h"))


@pytest.mark.parametrize("kind", sorted(SPECIAL.keys() - {"dangling", "hole"}))
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    replace_by(tmp_path / "x.h", kind)
    with pytest.raises(OSError) as caught:
        Digests().of(str(tmp_path / "x.h"))
    assert "error BLD091" in str(coded(caught.value))
    assert Digests().of("a\0b") == "absent"


def test_without_a_folder_for_it_nothing_is_kept(source: str) -> None:
    Path("build").rmdir()
    kept(source)
    assert os.listdir() == [source]

"""Seals: products are used again only if they are whole and made from what is there now."""

import fcntl
import os
import time
from pathlib import Path

import pytest

from opsmith.digests import Digests, stamp_of
from opsmith.steps.seal import SealedInputs, changed_since, inputs_of, opened, seal_file


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.write_text("one")
    return path


@pytest.fixture
def product(tmp_path: Path) -> Path:
    path = tmp_path / "out" / "product"
    path.parent.mkdir()
    path.write_text("made of one")
    return path


def inputs(source: Path, commands: str = "make", value: str = "gcc 12") -> SealedInputs:
    return inputs_of(commands, [value], [str(source)], Digests())


def sealed(source: Path, product: Path) -> None:
    with opened(product) as seal:
        seal.write(inputs(source), [product], Digests())


def holds(found: SealedInputs, product: Path) -> bool:
    with opened(product) as seal:
        return seal.holds(found, [product], Digests())


def test_it_holds_while_nothing_changes(source: Path, product: Path) -> None:
    assert not holds(inputs(source), product)
    sealed(source, product)
    assert holds(inputs(source), product)
    os.utime(source)
    assert holds(inputs(source), product)


def test_commands_values_inputs_and_products_count(source: Path, product: Path) -> None:
    sealed(source, product)
    assert not holds(inputs(source, commands="make -O3"), product)
    assert not holds(inputs(source, value="gcc 13"), product)
    source.write_text("two")
    assert not holds(inputs(source), product)
    source.write_text("one")
    assert holds(inputs(source), product)
    product.write_text("edited by hand")
    assert not holds(inputs(source), product)
    product.unlink()
    assert not holds(inputs(source), product)


def test_an_input_that_goes_and_comes_counts(source: Path, product: Path) -> None:
    source.unlink()
    sealed(source, product)
    assert holds(inputs(source), product)
    source.write_text("")
    assert not holds(inputs(source), product)


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b"[" * 100_000])
def test_one_that_is_broken_or_damaged_does_not_hold(
    source: Path, product: Path, damage: bytes
) -> None:
    sealed(source, product)
    seal_file(product).write_bytes(damage)
    assert not holds(inputs(source), product)
    sealed(source, product)
    with opened(product) as seal:
        seal.broken()
    assert not holds(inputs(source), product)


def test_an_edit_within_the_clock_s_resolution_is_seen(source: Path) -> None:
    known = Digests()
    before = known.of(str(source))
    stamp = source.stat()
    source.write_text("two")  # of the same size
    os.utime(source, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert known.of(str(source)) != before


def test_what_was_touched_meanwhile_is_reported(source: Path) -> None:
    found = inputs(source)
    assert found.touched() == []
    source.write_text("two")
    assert found.touched() == [str(source)]


def test_it_is_a_lock(source: Path, product: Path) -> None:
    with opened(product), seal_file(product).open("r+") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with seal_file(product).open("r+") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_where_the_clock_was_set_back_an_earlier_stamp_counts(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, start = str(source), time.time_ns()
    earlier = {path: stamp_of(path)}
    assert changed_since([path], start, earlier) == [path]
    set_back = start - 10**18
    monkeypatch.setattr(time, "time_ns", lambda: set_back)
    assert changed_since([path], set_back, {}) == [path]
    assert changed_since([path], set_back, earlier) == []
    source.write_text("three")
    assert changed_since([path], set_back, earlier) == [path]

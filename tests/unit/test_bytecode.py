"""Modules are run as they are now, whatever their files' times say."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest

from opsmith.bytecode import import_exactly, store


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "numbers_of_us").mkdir()
    import_exactly(tmp_path / "numbers_of_us")
    yield tmp_path / "numbers_of_us"
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.startswith("numbers_of_us")]:
        del sys.modules[name]
    invalidate_caches()


def _value() -> object:
    _forget()
    return import_module("numbers_of_us.one").VALUE


def test_an_edit_that_leaves_time_and_size_is_seen(package: Path) -> None:
    file = package / "one.py"
    file.write_text("VALUE = 1\n")
    assert _value() == 1
    stamp = file.stat().st_mtime_ns
    file.write_text("VALUE = 2\n")
    os.utime(file, ns=(stamp, stamp))
    assert _value() == 2


@pytest.mark.slow
def test_bytecode_is_used_while_nothing_changes(package: Path) -> None:
    (package / "one.py").write_text("VALUE = 1\n")
    assert _value() == 1
    (stored,) = (package / "__pycache__").iterdir()
    code = stored.read_bytes()
    stored.write_bytes(code.replace(b"\xe9\x01\x00\x00\x00", b"\xe9\x07\x00\x00\x00"))
    assert stored.read_bytes() != code
    assert _value() == 7


def test_bytecode_that_was_stored_before_is_used(package: Path) -> None:
    (package / "one.py").write_text("VALUE = 1\n")
    store([package])
    (stored,) = (package / "__pycache__").iterdir()
    before = stored.read_bytes()
    assert _value() == 1
    assert stored.read_bytes() == before
    (package / "one.py").write_text("VALUE = 2\n")
    store([package])
    assert stored.read_bytes() != before

"""Modules of op folders are run as they are now, whatever their files' times say."""

import os
import sys
import time
from pathlib import Path

import pytest

from opsmith.modules import load_module


@pytest.mark.parametrize(("age", "stored"), [(0, False), (60, True)])
def test_bytecode_is_stored_of_what_no_later_edit_resembles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: int, stored: bool
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file, edited = tmp_path / "op.py", time.time() - age
    file.write_text("VALUE = 1\n")
    os.utime(file, (edited, edited))
    assert load_module(file, "OPS002").VALUE == 1
    assert (tmp_path / "__pycache__").exists() == stored
    assert not sys.dont_write_bytecode


def test_an_edit_that_leaves_time_and_size_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file, edited = tmp_path / "op.py", time.time()
    for value in (1, 2):
        file.write_text(f"VALUE = {value}\n")
        os.utime(file, (edited, edited))
        assert value == load_module(file, "OPS002").VALUE


@pytest.mark.parametrize("name", [".#op.py", "helper.py"])
def test_a_link_that_leads_nowhere_is_no_source(tmp_path: Path, name: str) -> None:
    """Emacs writes one beside a file that has unsaved changes."""
    (tmp_path / "op.py").write_text("X = 1\n", encoding="utf-8")
    (tmp_path / name).symlink_to("somebody@here.123:456")
    assert load_module(tmp_path / "op.py", "OPS002").X == 1

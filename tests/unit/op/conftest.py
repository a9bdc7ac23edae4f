"""Folders for the tests of backends."""

from pathlib import Path

import pytest

from tests.unit.op.backend_folders import OP, C, write


@pytest.fixture
def op(tmp_path: Path) -> Path:
    """Folder of a good op."""
    folder = tmp_path / "ops" / "twice"
    folder.mkdir(parents=True)
    (folder / "op.py").write_text(OP)
    for name in ("plain", "reference"):
        text = C.format(header="twice.op.h", space="twice", name=name, size="size")
        (folder / f"{name}.h").write_text(text)
    return folder


@pytest.fixture
def backends(tmp_path: Path) -> Path:
    """Folder above a good backend."""
    return write(tmp_path / "backends")

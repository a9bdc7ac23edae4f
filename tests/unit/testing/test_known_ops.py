"""Op folders that a process of tests keeps loaded."""

from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.testing.known_ops import known_ops, loaded
from tests.refusals import refusal
from tests.unit.op.folders import KERNEL, write


def test_an_op_is_loaded_once(tmp_path: Path) -> None:
    folder = write(tmp_path)
    assert loaded(folder) is loaded(folder)
    assert known_ops([folder]).by_name["twice"] is loaded(folder)


def test_an_edited_file_of_the_folder_loads_it_again(tmp_path: Path) -> None:
    folder = write(tmp_path)
    first = loaded(folder)
    (folder / "reference.h").write_text("// another kernel\n", encoding="utf-8")
    with pytest.raises(ToolchainError, match="KRN0"):
        loaded(folder)
    (folder / "reference.h").write_text(KERNEL, encoding="utf-8")
    assert loaded(folder) is not first


def test_bytecode_that_another_process_writes_is_no_edit(tmp_path: Path) -> None:
    folder = write(tmp_path)
    first = loaded(folder)
    (folder / "__pycache__").mkdir(exist_ok=True)
    (folder / "__pycache__" / "op.cpython-311.pyc.22388").symlink_to("renamed by now")
    (folder / "__pycache__" / "op.cpython-311.pyc.22389").write_bytes(b"half")
    assert loaded(folder) is first


def test_the_problems_of_all_folders_are_reported(tmp_path: Path) -> None:
    folders = [write(tmp_path, name, "OP = 1\n") for name in ("one", "two")]
    caught = refusal(known_ops, folders)
    assert all(f"{folder}" in str(caught) for folder in folders)

"""Tests that claims of ops are kept from one command to the next, for as long as nothing
changes.
"""

import os
import shutil
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from opsmith import modules
from opsmith.contract import check_renames
from opsmith.digests import FILE, RECENT, SECOND
from opsmith.discover import discover as module
from opsmith.discover import kept_claims
from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError
from opsmith.op.index import OpFolder
from tests.unit.op.folders import GOOD, write


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """List of the names of ops that are loaded from now on."""
    found: list[str] = []
    load = modules.load_module

    def noted(file: Path, code: str) -> ModuleType:
        found.append(file.parent.name)
        return load(file, code)

    monkeypatch.setattr(module, "load_module", noted)
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    return found


def test_an_op_is_loaded_again_only_when_somebody_asks_for_it(
    tmp_path: Path, loaded: list[str]
) -> None:
    write(tmp_path)
    first = discover([tmp_path])
    assert loaded.pop() == "twice"
    again = discover([tmp_path])
    assert again.by_source.keys() == first.by_source.keys()
    assert again.by_name["twice"].claims == first.by_name["twice"].claims
    assert not loaded
    assert again["twice"].name == "twice"
    assert loaded == ["twice"]


@pytest.mark.slow
def test_an_op_is_kept_by_a_command_whose_check_imports_the_operators(
    tmp_path: Path, loaded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, text=GOOD.replace("CUSTOM.Twice", "ABS"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "tflite"]:
        monkeypatch.delitem(sys.modules, name)
    check_renames._operators.cache_clear()
    discover([tmp_path])
    assert "tflite" in sys.modules
    assert loaded.pop() == "twice"
    discover([tmp_path])
    assert not loaded


@pytest.mark.slow
@pytest.mark.parametrize("name", ["op.py", "reference.h", "more.py", "test_twice.py"])
def test_a_change_of_any_file_of_the_folder_loads_the_op(
    tmp_path: Path, loaded: list[str], name: str
) -> None:
    folder = write(tmp_path)
    discover([tmp_path])
    before, file = os.stat(folder), folder / name
    text = file.read_text() if file.exists() else ""
    file.write_text(text + ("// more\n" if name.endswith(".h") else "# more\n"))
    os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))
    discover([tmp_path])
    assert loaded == ["twice", "twice"]


def test_commands_keep_digests_where_builds_have_kept_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands keep digests only where builds have kept some, not in any folder with a build/."""
    monkeypatch.chdir(tmp_path)
    FILE.parent.mkdir()
    folder = write(tmp_path)
    time.sleep(2 * RECENT / SECOND)
    for builds in (False, True):
        kept_claims._known.cache_clear()
        if builds:
            FILE.touch(0o600)
        keeper = kept_claims.Keeper(())
        assert keeper.key(folder)
        keeper.end()
        assert FILE.exists() is builds
    assert FILE.stat().st_size > 0


def test_what_is_wrong_is_reported_each_time(tmp_path: Path) -> None:
    folder = write(tmp_path)
    discover([tmp_path])
    (folder / "reference.h").rename(folder / "other.h")
    for _ in range(2):
        with pytest.raises(ToolchainError, match="KRN001"):
            discover([tmp_path])


def test_a_copy_with_its_bytecode_under_another_name_is_checked(
    tmp_path: Path, loaded: list[str]
) -> None:
    folder = write(tmp_path)
    discover([tmp_path])
    shutil.copytree(folder, tmp_path / "copies" / "double")
    with pytest.raises(ToolchainError, match="OPS010"):
        discover([tmp_path / "copies"])


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "[]", '{"key": 1}', "\0", "[" * 99_999])
def test_a_record_that_is_none_is_as_good_as_no_record(
    tmp_path: Path, loaded: list[str], content: str
) -> None:
    folder = write(tmp_path)
    discover([tmp_path])
    (record,) = folder.rglob("*.claims.json")
    record.write_text(content)
    assert set(discover([tmp_path]).by_name) == {"twice"}
    assert loaded == ["twice", "twice"]


def test_a_folder_that_cannot_be_written_is_loaded_each_time(
    tmp_path: Path, loaded: list[str]
) -> None:
    folder = write(tmp_path)
    (folder / "__pycache__").write_text("a file where the folder would be")
    for _ in range(2):
        assert set(discover([tmp_path]).by_name) == {"twice"}
    assert loaded == ["twice", "twice"]


def test_an_op_that_imports_from_elsewhere_is_loaded_each_time(
    tmp_path: Path, loaded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "my_family_of_ops.py").write_text('NAME = "twice"\n')
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    text = GOOD.replace('name="twice"', "name=NAME").replace(
        "from opsmith.op import", "from my_family_of_ops import NAME\nfrom opsmith.op import", 1
    )
    write(tmp_path, text=text)
    for _ in range(2):
        assert set(discover([tmp_path]).by_name) == {"twice"}
        monkeypatch.delitem(sys.modules, "my_family_of_ops")  # as in another command
    assert loaded == ["twice", "twice"]


def test_an_op_that_is_edited_while_it_is_loaded_is_not_kept(
    tmp_path: Path, loaded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, load = write(tmp_path), module.load_op

    def edited(*arguments: Any) -> OpFolder:
        found = load(*arguments)
        (folder / "more.py").write_text("# more\n")
        return found

    monkeypatch.setattr(module, "load_op", edited)
    discover([tmp_path])
    assert not [*folder.rglob("*.claims.json")]

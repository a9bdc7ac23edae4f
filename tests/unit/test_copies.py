"""Copies of folders that tests change are as they were before the next test."""

import os
from pathlib import Path

from tests.copies import restored


def contents(folder: Path) -> dict[str, tuple[int, int, bytes | str]]:
    """Entries of a folder: kind and permissions, time, and content or where a link leads."""
    found = {}
    for path in folder.rglob("*"):
        stat = path.lstat()
        if path.is_symlink() or path.is_file():
            content = os.readlink(path) if path.is_symlink() else path.read_bytes()
            found[str(path.relative_to(folder))] = (stat.st_mode, stat.st_mtime_ns, content)
        else:
            found[str(path.relative_to(folder))] = (stat.st_mode, 0, "")
    return found


def test_whatever_a_test_changed_is_restored(tmp_path: Path) -> None:
    saved, copy = tmp_path / "saved", tmp_path / "copy"
    (saved / "a/b").mkdir(parents=True)
    for name in ("same", "longer", "later", "mode", "gone", "a/folder", "a/b/file"):
        (saved / name).write_text("text")
    (saved / "link").symlink_to("same")
    restored(saved, copy)
    before = contents(copy)
    assert before == contents(saved)
    (copy / "longer").write_text("longer text")
    (copy / "later").write_text("tixt")
    os.utime(copy / "later", (1, 1))
    (copy / "mode").chmod(0o600)
    (copy / "gone").unlink()
    (copy / "link").unlink()
    (copy / "link").symlink_to("gone")
    (copy / "a/folder").unlink()
    (copy / "a/folder/new").mkdir(parents=True)
    (copy / "a/b/file").unlink()
    (copy / "a/b").rmdir()
    (copy / "a/b").write_text("no folder")
    (copy / "more").mkdir()
    (copy / "more/file").touch()
    same = (copy / "same").stat().st_ino
    restored(saved, copy)
    assert contents(copy) == before == contents(saved)
    assert (copy / "same").stat().st_ino == same

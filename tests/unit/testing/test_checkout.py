"""The copies of the checkout in which processes of pytest-xdist build."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolchain.testing import checkout as module
from toolchain.testing.checkout import ROOT, checkout, mirror


def sources(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file()
    }


def make(root: Path, *, kernel: str = "old") -> dict[str, str]:
    for name, text in {"SConstruct": "x", "ops/a/op.py": "y", "ops/a/k.h": kernel}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return sources(root)


def test_a_copy_follows_edits_new_files_and_files_that_are_gone(tmp_path: Path) -> None:
    wanted = make(tmp_path / "root")
    mirror(tmp_path / "root", tmp_path / "copy")
    assert sources(tmp_path / "copy") == wanted
    (tmp_path / "root/ops/a/op.py").unlink()
    (tmp_path / "root/ops/b").mkdir()
    (tmp_path / "root/ops/b/op.py").write_text("z", encoding="utf-8")
    wanted = make(tmp_path / "root", kernel="new")
    (tmp_path / "root/ops/a/op.py").unlink()
    del wanted["ops/a/op.py"]
    mirror(tmp_path / "root", tmp_path / "copy")
    assert sources(tmp_path / "copy") == wanted


def test_what_was_built_in_a_copy_stays(tmp_path: Path) -> None:
    make(tmp_path / "root")
    built = tmp_path / "copy" / "build" / "firmware.elf"
    built.parent.mkdir(parents=True)
    built.write_text("elf", encoding="utf-8")
    mirror(tmp_path / "root", tmp_path / "copy")
    assert built.read_text(encoding="utf-8") == "elf"


def test_what_is_generated_and_what_no_build_reads_is_not_copied(tmp_path: Path) -> None:
    wanted = make(tmp_path / "root")
    for name in ("README.md", "build/x.o", "ops/a/__pycache__/op.pyc"):
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).write_text("", encoding="utf-8")
    mirror(tmp_path / "root", tmp_path / "copy")
    assert sources(tmp_path / "copy") == wanted


def test_one_process_builds_in_the_checkout_and_each_worker_in_its_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    assert checkout.__wrapped__() == ROOT
    wanted = make(tmp_path)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    for worker in ("gw0", "gw1"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
        copy = checkout.__wrapped__()
        assert copy == tmp_path / "build" / "checkouts" / worker
        assert wanted.items() <= sources(copy).items()

"""Tests of the changes that ninja's check notices, of which ninja's own comparison of times would
miss most.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from opsmith.digests import RECENT, Digests
from opsmith.errors import ToolchainError
from opsmith.ninja import check
from opsmith.ninja.check import GRAPH, includes_digest, main, read_record, write_record
from opsmith.ninja.records import (
    file_lines,
    folder_line,
    link_lines,
    nothing_lines,
    paths_of,
    process_lines,
    write_step,
)
from opsmith.ninja.step import STEPS, read_steps, step_as_data
from opsmith.steps.seal import Made
from opsmith.steps.sealed import Sealed
from tests.special import SPECIAL, replace_by

STEP = "step"
LONG_AGO = (1, 1)


class Checked:
    """Folder with the records of one step and of the graph."""

    def __init__(self, root: Path) -> None:
        self.root, self.records = root, root / "ninja"
        self.records.mkdir()
        (root / "build.ninja").touch()
        self.header, self.object, self.op = (root / name for name in ("k.h", "k.o", "op.py"))
        self.header.write_text('#include "a.h"\nint x;\n')
        self.object.write_text("object")
        self.op.write_text("OP = 1\n")
        (root / "folder").mkdir()
        time.sleep(2 * RECENT / 1e9)
        self.write()

    def write(self) -> None:
        """Write records of all files as they are now."""
        known = Digests()
        files = {str(path): known.of(str(path)) for path in (self.header, self.object)}
        write_step(self.records, STEP, Made(files, {}, {}), (), known)
        scanned = [f"{files[str(self.header)]} {includes_digest(str(self.header))} {self.header}"]
        write_record(str(self.records / "scanned"), scanned)
        graph = file_lines({str(self.op): known.of(str(self.op))}, known)
        graph += [folder_line(str(self.root / "folder"))]
        graph += nothing_lines([str(self.root / "a.h")])
        graph += link_lines([str(self.root / "app" / "main.cc")])
        graph += [*process_lines(["SEEN"]), f"record - - {self.records / STEP}.record"]
        write_record(str(self.records / f"{GRAPH}.record"), graph)
        (self.records / f"{STEP}.changed").touch()

    def changed(self) -> str:
        """Name of the step that the check finds to do, or "" for none; the graph's name where SCons
        must run.
        """
        stamp = self.records / f"{STEP}.changed"
        if stamp.exists():
            os.utime(stamp, LONG_AGO)
        if main(str(self.records)):
            assert not stamp.exists() or stamp.stat().st_mtime == 1
            return GRAPH
        return STEP if stamp.stat().st_mtime > 1 else ""


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    return Checked(tmp_path)


def test_nothing_changed_is_found_without_reading(
    checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "content_digest", lambda kind, path: "")
    assert checked.changed() == ""


def test_an_edit_to_the_same_size_and_time_is_noticed(checked: Checked) -> None:
    before = checked.header.stat()
    checked.header.write_text('#include "a.h"\nint y;\n')
    os.utime(checked.header, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert checked.changed() == STEP
    assert checked.changed() == STEP  # until the step has run


def test_an_older_file_in_its_place_is_noticed(checked: Checked) -> None:
    older = checked.root / "older"
    older.write_text('#include "a.h"\nint older;\n')
    os.utime(older, LONG_AGO)
    older.replace(checked.header)
    assert checked.changed() == STEP


def test_what_is_only_touched_is_no_change_and_read_once(
    checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(checked.header, LONG_AGO)
    time.sleep(2 * RECENT / 1e9)
    assert checked.changed() == ""
    monkeypatch.setattr(check, "content_digest", lambda kind, path: "")
    assert checked.changed() == ""


def test_a_stamp_that_a_later_write_could_share_is_not_relied_on(checked: Checked) -> None:
    checked.header.touch()
    checked.write()
    stamps = [line.split()[1] for line in read_record(str(checked.records / f"{STEP}.record"))]
    assert "-" in stamps
    assert checked.changed() == ""


@pytest.mark.parametrize("name", ["k.o", "k.h"])
def test_what_is_removed_is_noticed(checked: Checked, name: str) -> None:
    (checked.root / name).unlink()
    assert checked.changed() == (STEP if name == "k.o" else GRAPH)  # a header includes others


def test_a_damaged_product_is_noticed(checked: Checked) -> None:
    checked.object.write_text("damage")
    assert checked.changed() == STEP


@pytest.mark.parametrize(
    ("text", "expected"), [('#include "a.h"\nint x, y;\n', STEP), ('#include "b.h"\n', GRAPH)]
)
def test_scons_looks_again_where_other_headers_are_included(
    checked: Checked, text: str, expected: str
) -> None:
    checked.header.write_text(text)
    assert checked.changed() == expected


def test_what_decides_the_steps_is_for_scons(
    checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed() -> str:
        found = checked.changed()
        checked.write()
        return found

    checked.op.write_text("OP = 2\n")
    assert changed() == GRAPH
    (checked.root / "folder" / "new").touch()
    assert changed() == GRAPH
    (checked.root / "a.h").symlink_to("nowhere")
    assert changed() == GRAPH
    (checked.root / "a.h").unlink()
    monkeypatch.setenv("SEEN", "now")
    assert changed() == GRAPH
    monkeypatch.chdir(checked.root)
    assert changed() == GRAPH
    monkeypatch.setattr(sys, "version", "4.0")
    assert changed() == GRAPH
    assert changed() == ""


def test_a_link_that_leads_elsewhere_is_for_scons(checked: Checked) -> None:
    """A link that leads elsewhere is for SCons; so is a folder of equal content in its place, as
    paths differ.
    """
    app = checked.root / "app"
    for name in ("one", "two"):
        (checked.root / name).mkdir()
        (checked.root / name / "main.cc").touch()
    app.symlink_to("one")
    checked.write()
    assert checked.changed() == ""
    app.unlink()
    app.symlink_to("two")
    assert checked.changed() == GRAPH
    app.unlink()
    (checked.root / "one").rename(app)
    assert checked.changed() == GRAPH
    checked.write()
    (app / "main.cc").rename(checked.root / "main.cc")
    (app / "main.cc").symlink_to("../main.cc")
    assert checked.changed() == GRAPH


def test_an_editor_beside_a_file_is_no_change(checked: Checked) -> None:
    (checked.root / "folder" / ".op.py.swp").touch()
    assert checked.changed() == ""


@pytest.mark.parametrize("kind", SPECIAL)
def test_what_lies_in_the_place_of_a_file_is_a_change(checked: Checked, kind: str) -> None:
    replace_by(checked.header, kind)
    assert checked.changed() == GRAPH
    replace_by(checked.records / f"{STEP}.record", kind)
    assert checked.changed() == GRAPH


@pytest.mark.parametrize("lines", [["file a b"], ["x"], ["file - - \0"]])
def test_lines_of_another_form_are_damage(tmp_path: Path, lines: list[str]) -> None:
    write_record(str(tmp_path / "graph.record"), lines)
    if "\0" not in lines[0]:
        with pytest.raises(ToolchainError, match="BLD102: is damaged"):
            paths_of(tmp_path / "graph.record")
    assert main(str(tmp_path))


def test_steps_that_were_cut_off_are_damage(tmp_path: Path) -> None:
    data = step_as_data(Sealed([["cc", "a.c"], ["ar"]], "CC"), ["a.o"], [], ["a.c"])
    said = {"steps": {"s": data}, "passed_on": ["PATH"], "environ": {}, "verbose": False}
    text = json.dumps(said)
    (tmp_path / STEPS).write_text(text)
    assert read_steps(tmp_path) == said
    (tmp_path / STEPS).write_text(text[:-9])
    with pytest.raises(ToolchainError, match=r"BLD102: is damaged[\s\S]*delete it and run ninja"):
        read_steps(tmp_path)


@pytest.mark.parametrize("name", ["graph", STEP, "scanned"])
def test_a_damaged_record_is_for_scons(checked: Checked, name: str) -> None:
    record = checked.records / (name if name == "scanned" else f"{name}.record")
    content = record.read_bytes()
    if name == "scanned":
        checked.header.write_text("edited")  # it is read where there is an edit
    record.write_bytes(content.replace(b"k.h", b"K.h").replace(b"op.py", b"OP.py"))
    assert checked.changed() == GRAPH
    record.write_bytes(content[: len(content) // 2])
    assert checked.changed() == GRAPH
    record.unlink()
    assert checked.changed() == GRAPH


def test_records_that_are_gone_are_for_scons(checked: Checked) -> None:
    for path in checked.records.iterdir():
        path.unlink()
    assert checked.changed() == GRAPH
    checked.records.rmdir()
    assert checked.changed() == GRAPH


def test_a_stamp_that_is_gone_is_a_step_to_run(checked: Checked) -> None:
    (checked.records / f"{STEP}.changed").unlink()
    assert checked.changed() == STEP


@pytest.mark.slow
def test_where_nothing_changed_it_imports_next_to_nothing(checked: Checked) -> None:
    command = [sys.executable, "-I", "-S", "-X", "importtime", check.__file__, str(checked.records)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "zlib" in imported
    assert imported.isdisjoint({"site", "re", "json", "hashlib", "pathlib", "opsmith"})

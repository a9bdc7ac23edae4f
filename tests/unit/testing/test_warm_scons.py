"""Tests of the servers that have imported the Python of a project."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.modules import load_once
from opsmith.testing.checkout import ROOT
from opsmith.testing.scons_server import _forget_changed, _state
from opsmith.testing.warm_scons import WARMED, _Servers

LOCKED = """\
import os
os.access = lambda *_: False  # of a checkout that somebody else owns
from opsmith.testing.firmware import products, scons
words = ("board=host", "model=m.tflite")
done = scons(*words, "where")
print(done.stdout.splitlines()[-1:], [str(products(*words).relative_to(os.getcwd()))], done.stderr)
"""


def test_a_server_imports_a_toolchain_that_stays_and_none_that_is_edited(tmp_path: Path) -> None:
    core = tmp_path / "runtimes" / "core.toml"
    core.parent.mkdir()
    core.write_text("a = 1")
    kept, servers = core.stat(), _Servers()
    plain = [servers.of(tmp_path) for _ in range(WARMED)]
    warm = servers.of(tmp_path)
    assert plain[0] is plain[-1] is not warm
    core.write_text("a = 22")
    assert servers.of(tmp_path) is plain[0]
    core.write_text("a = 1")
    os.utime(core, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert servers.of(tmp_path) is warm


def test_a_server_forgets_all_modules_of_an_edited_op(tmp_path: Path) -> None:
    ops = [tmp_path / name for name in ("edited", "same")]
    for op in ops:
        op.mkdir()
        (op / "params.py").write_text("VALUE = 1\n")
        (op / "op.py").write_text("from .params import VALUE\n")
    modules = [load_once(op / "op.py", "OPS002") for op in ops]
    loaded = {op: _state(op) for op in ops}
    (ops[0] / "params.py").write_text("VALUE = 22\n")
    _forget_changed(loaded)
    again = [load_once(op / "op.py", "OPS002") for op in ops]
    assert [each.VALUE for each in again] == [22, 1]
    assert again[0] is not modules[0]
    assert again[1] is modules[1]


@pytest.mark.slow
def test_ops_of_a_project_are_tested_in_it_where_the_checkout_cannot_be_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "SConstruct").write_text("raise SystemExit('of the project')")
    shutil.copyfile(ROOT / "tests/models/digits_int8.tflite", tmp_path / "m.tflite")
    said = subprocess.run(
        [sys.executable, "-c", LOCKED], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert said == "['build/host-reference/m'] ['build/host-reference/m'] \n"

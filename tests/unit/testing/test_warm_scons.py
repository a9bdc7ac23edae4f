"""Tests of the servers that have imported the Python of a project."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.testing.checkout import ROOT
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

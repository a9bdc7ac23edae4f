"""SCons of tests: a server imports a copy of the project once, and again when that was edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from opsmith.testing.warm_scons import run_scons
from tests.system.project import make_project

pytestmark = [pytest.mark.system]
MODULE = "toolchain/opsmith/scons/build.py"
COUNTED = "\nwith open('imports', 'a') as counter:\n    counter.write('x')\n"


def test_a_copy_is_imported_once_while_it_stays_as_it_is(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    project.append(MODULE, COUNTED)
    imports = []
    for _ in range(4):
        assert "unknown target 'rnu'" in project.scons("rnu").text
        imports.append(len((project.root / "imports").read_text()))
    assert imports == [1, 2, 2, 2]  # the second build makes the server
    project.append(MODULE, "\n")
    assert "unknown target 'rnu'" in project.scons("rnu").text
    project.edit(MODULE, COUNTED + "\n", COUNTED)
    assert "unknown target 'rnu'" in project.scons("rnu").text
    assert (project.root / "imports").read_text() == "xxx"  # by the edited copy; its server stayed
    project.append(MODULE, "\nraise KeyError('edited')\n")
    for _ in range(2):
        done = run_scons(["-Q", "rnu"], project.root, {}, merged=True)
        assert "KeyError: 'edited'" in done.stdout
        assert done.returncode == 2
    project.edit(MODULE, "\nraise KeyError('edited')\n", "")
    assert "unknown target 'rnu'" in project.scons("rnu").text

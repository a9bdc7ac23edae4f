"""Packages of Conan in a build: what lies beside a model is looked at before it is read."""

from pathlib import Path

import pytest

from opsmith.build_options import BuildOptions
from opsmith.errors import raise_all
from opsmith.scons.installed_packages import lock_of, lock_problems
from tests.special import SPECIAL, replace_by


@pytest.mark.parametrize("kind", SPECIAL)
def test_a_lock_that_is_no_file_is_told(tmp_path: Path, kind: str) -> None:
    settings = BuildOptions(model=str(tmp_path / "m.tflite"))
    assert not [*lock_problems(settings)]
    replace_by(tmp_path / "m.conan.lock", kind)
    (problem,) = lock_problems(settings)
    assert problem.code == "BLD112"
    replace_by(tmp_path / "m.conan.lock", "folder")
    (tmp_path / "m.conan.lock").rmdir()
    (tmp_path / "m.conan.lock").write_text("{}")
    raise_all(lock_problems(settings))
    assert lock_of(settings) == tmp_path / "m.conan.lock"

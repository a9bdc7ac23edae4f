"""Tests that the checkout and the command line, and nothing else, decide what is built."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.home import HOME
from opsmith.scons.environment import FIXED, make_build_folder
from opsmith.scons.invocation import check_invocation


def codes(
    options: dict[str, object], environ: dict[str, str], *variables: tuple[str, str]
) -> list[str]:
    try:
        check_invocation(options.get, environ, variables)
    except ToolchainError as error:
        return [problem.code for problem in error.problems]
    return []


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_a_plain_call_is_fine() -> None:
    assert codes({}, {"SCONSFLAGS": " "}) == []


def test_a_variable_is_given_once() -> None:
    assert codes({}, {}, ("board", "host"), ("opt", "size")) == []
    assert codes({}, {}, ("opt", "size"), ("board", "host"), ("opt", "size")) == ["BLD006"]


def test_flags_of_the_environment_are_refused() -> None:
    assert codes({}, {"SCONSFLAGS": "opt=size"}) == ["BLD029"]


def test_code_of_the_home_is_refused_until_the_command_line_leaves_it_out(home: Path) -> None:
    (home / ".scons" / "site_scons").mkdir(parents=True)
    assert codes({}, {}) == ["BLD032"]
    assert codes({"site_dir": False}, {}) == []


@pytest.mark.parametrize("option", ["ignore_errors", "question"])
def test_options_that_make_no_sense_are_refused(option: str) -> None:
    assert codes({option: True}, {}) == ["BLD033"]


def test_all_that_is_wrong_is_reported_at_once(home: Path) -> None:
    (home / ".scons" / "site_scons").mkdir(parents=True)
    assert codes({"question": True}, {"SCONSFLAGS": "-k"}) == ["BLD029", "BLD032", "BLD033"]


def test_steps_start_where_another_package_lies_in_a_folder_of_any_name(tmp_path: Path) -> None:
    (tmp_path / "other.pth").write_text(f"{tmp_path}/Übung\n", encoding="utf-8")
    start = "import site, sys; site.addsitedir(sys.argv[1])"
    subprocess.run([sys.executable, "-S", "-c", start, str(tmp_path)], env=FIXED, check=True)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC])
@pytest.mark.parametrize("checkout", [True, False])
def test_a_folder_that_cannot_be_written_says_where_to_build(
    number: int, checkout: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(dir: Path) -> None:
        raise OSError(number, os.strerror(number), str(dir))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    monkeypatch.setattr("opsmith.scons.environment.HOME", tmp_path if checkout else HOME)
    with pytest.raises(ToolchainError, match=f"BLD002: cannot write: {os.strerror(number)}") as it:
        make_build_folder()
    elsewhere = checkout and number != errno.ENOSPC
    assert (f"scons -f {tmp_path / 'SConstruct'} " in it.value.problems[0].fix) == elsewhere

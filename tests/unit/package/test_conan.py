"""Conan runs with a home of its own, without remotes, and its failures are errors with a code."""

import importlib.util
import os
import shutil
import signal
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from opsmith.errors import ToolchainError
from opsmith.package.conan import Conan, _said, conan_version


@pytest.fixture(scope="module")
def conan(tmp_path_factory: pytest.TempPathFactory) -> Conan:
    """Conan in a folder and an environment that name a foreign home."""
    folder = tmp_path_factory.mktemp("conan")
    (folder / ".conanrc").write_text("conan_home=/nonexistent/home\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONAN_HOME", "/nonexistent/home")
        conan = Conan(folder / "ours")
        conan.prepare()
        return conan


@pytest.mark.slow
def test_its_home_is_ours_and_has_no_remote(conan: Conan) -> None:
    assert Path(conan.run("config", "home").strip()) == conan.home
    assert conan.json("remote", "list") == []


@pytest.mark.slow
def test_a_command_that_is_killed_is_an_error(
    conan: Conan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conan.cli.cli.main", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(ToolchainError, match="BLD081: .* exit status -9: it says nothing"):
        conan.run("config", "home")


@pytest.mark.slow
def test_a_command_ends_when_its_build_is_stopped(
    conan: Conan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def hang(_: object) -> None:
        (tmp_path / "process").write_text(f"{os.getpid()}\n")
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(60)

    monkeypatch.setattr("conan.cli.cli.main", hang)
    with pytest.raises(KeyboardInterrupt):
        conan.run("config", "home")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "process").read_text()), 0)


@pytest.mark.slow
def test_what_it_refuses_is_one_error_that_says_why(conan: Conan) -> None:
    with pytest.raises(ToolchainError, match="BLD081") as raised:
        conan.run("install", "--requires=kws/1.0", "--profile:all=nowhere")
    assert "Profile not found: nowhere" in str(raised.value)
    assert str(raised.value).count("error ") == 1


@pytest.mark.slow
def test_a_damaged_cache_is_one_error_without_a_traceback(conan: Conan, tmp_path: Path) -> None:
    damaged = Conan(tmp_path / "home")
    shutil.copytree(conan.home, damaged.home)
    (damaged.home / "p").mkdir(exist_ok=True)
    (damaged.home / "p" / "cache.sqlite3").write_bytes(b"damaged" * 99)
    (tmp_path / "host").write_text("[settings]\nos=Linux\narch=x86_64\n")
    with pytest.raises(ToolchainError, match="BLD081") as raised:
        damaged.run("install", "--requires=kws/1.0", f"--profile:all={tmp_path / 'host'}")
    said = str(raised.value)
    assert "exit status 7: file is not a database\n" in said
    assert f"delete {damaged.home}" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_library_is_another_one_after_a_patch_of_what_it_requires(
    conan: Conan, tmp_path: Path
) -> None:
    (tmp_path / "conanfile.py").write_text(
        "from conan import ConanFile\n"
        "class Any(ConanFile):\n"
        '    package_type = "static-library"\n'
        "    def requirements(self):\n"
        '        self.requires("inner/[*]") if self.name == "outer" else None\n'
    )
    (tmp_path / "none").write_text("")
    profile = f"--profile:all={tmp_path / 'none'}"
    found: list[str] = []
    for name, version in (("inner", "1.0.0"), ("outer", "1.0"), ("inner", "1.0.1")):
        conan.run("export", str(tmp_path), f"--name={name}", f"--version={version}")
        if found or name == "outer":
            graph = conan.json("graph", "info", "--requires=outer/1.0", profile)["graph"]
            found.append(graph["nodes"]["1"]["package_id"])
    assert len({*found}) == 2


def test_a_mistake_in_a_recipe_is_shown_without_what_led_to_it() -> None:
    said = """\
WARN: not this
ERROR: Package 'fastmath/1.3' not resolved: Error loading conanfile at 'r/conanfile.py'
Traceback (most recent call last):
  File "/venv/lib/python3.11/site-packages/conan/internal/loader.py", line 357, in _load_python_file
    spec.loader.exec_module(loaded)
    ~~~~~~~~~~~~~~~~~~~~~~~^^^^^^^^
  File "<frozen importlib._bootstrap_external>", line 936, in exec_module
  File "r/conanfile.py", line 1
    garbage (
            ^
SyntaxError: '(' was never closed
"""
    assert _said(said).splitlines() == [
        "Package 'fastmath/1.3' not resolved: Error loading conanfile at 'r/conanfile.py'",
        '  File "r/conanfile.py", line 1',
        "    garbage (",
        "            ^",
        "SyntaxError: '(' was never closed",
    ]


@pytest.mark.parametrize(
    ("version", "what"), [(None, "Conan is not installed"), ("1.66.0", "Conan 1.66.0 is")]
)
def test_without_conan_2_the_error_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, version: str | None, what: str
) -> None:
    def find(name: str) -> Any:
        return version

    monkeypatch.setattr(importlib.util, "find_spec", find)
    monkeypatch.setattr(metadata, "version", lambda name: version)
    with pytest.raises(ToolchainError, match=f"BLD080: {what}") as raised:
        conan_version()
    assert "bootstrap" in str(raised.value) or "opsmith[conan]" in str(raised.value)

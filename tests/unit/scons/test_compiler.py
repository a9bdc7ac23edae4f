"""Names in objects: those of a checkout, wherever Opsmith and the project are."""

from pathlib import Path

import pytest

from opsmith.contract.assertions import shown_path
from opsmith.errors import ToolchainError
from opsmith.home import HOME, RUNTIMES, shipped
from opsmith.scons.compiler import Compiler, inside, prefix_maps, relative
from opsmith.scons.folders import bindings_folder, object_stem
from opsmith.scons.launcher import NO_LAUNCHER, launcher_settings, launching
from opsmith.scons.settings import read_settings
from opsmith.steps.sealed import Unsigned

MAIN = RUNTIMES / "apps/runner/main.cc"


@pytest.mark.parametrize("place", ["", "tests"])
def test_a_project_maps_what_is_shipped_to_names_of_a_checkout(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = HOME / place if place else tmp_path  # beside it, and in a folder of it
    monkeypatch.chdir(project)
    maps = [(f"{HOME}/", ""), (str(project), ".")]
    expected = [f"-ffile-prefix-map={old}={new}" for old, new in sorted(maps, key=by_length)]
    assert prefix_maps(read_settings({}, project)) == expected
    assert shipped("ops") == HOME / "ops"
    assert relative(MAIN) == MAIN
    assert not inside(MAIN)
    assert inside(project / "app")
    assert object_stem(MAIN) == "runtimes/apps/runner/main.cc"
    assert bindings_folder(HOME / "ops" / "add") == Path("build/bindings")
    assert shown_path(MAIN) == str(MAIN)


def test_a_checkout_maps_itself_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)
    maps = prefix_maps(read_settings({}, HOME))
    assert maps == ["-ffile-prefix-map=./=", f"-ffile-prefix-map={HOME}=."]
    assert shipped("ops") == Path("ops")
    assert relative(MAIN) == Path("runtimes/apps/runner/main.cc")
    assert shown_path(MAIN) == "runtimes/apps/runner/main.cc"


def by_length(pair: tuple[str, str]) -> int:
    return len(pair[0])


def test_a_launcher_sees_settings_of_its_own_and_none_that_would_make_it_lie(
    tmp_path: Path,
) -> None:
    (tmp_path / "ccache").write_text("")
    (tmp_path / "ccache").chmod(0o755)
    words = launching("ccache", str(tmp_path)).plain
    assert all(isinstance(word, Unsigned) for word in words)
    assert words == ("env", "-u", "CCACHE_DISABLE", "CCACHE_COMPILERCHECK=content", "ccache")
    environ = ("PATH", "CCACHE_DIR", "CCACHE_SLOPPINESS", "DISTCC_HOSTS")
    assert launcher_settings("ccache", environ) == ["CCACHE_DIR", "DISTCC_HOSTS"]
    assert launching("") is NO_LAUNCHER
    assert launcher_settings("", environ) == []
    with pytest.raises(ToolchainError, match=r"BLD010[\s\S]*install sccache"):
        launching("sccache", str(tmp_path))


@pytest.mark.parametrize(("name", "version", "kept"), [
    ("ccache", "ccache version 4.9.1", False),
    ("ccache", "ccache version 4.10", True),
    ("ccache", "ccache version 5.0+1", True),
    ("ccache", "", False),
    ("distcc", "ccache version 4.10", False),
])  # fmt: skip
def test_only_a_ccache_that_keeps_call_graphs_stands_before_units_that_have_one(
    name: str, version: str, kept: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
    (tmp_path / name).chmod(0o755)
    words = launching(name, str(tmp_path)).calls
    assert words[:5] == (("env", "-u", "CCACHE_PREFIX", "-u", "CCACHE_DISABLE") if kept else ())


def test_languages_have_the_same_warnings() -> None:
    compiler = Compiler("", (), (), (), ())
    made = (compiler.compile(Path(name), Path("main.o"), []) for name in ("main.c", "main.cc"))
    c, cpp = ({word for word in command if word.startswith("-W")} for command in made)
    assert c == cpp > {"-Wall", "-Wextra"}

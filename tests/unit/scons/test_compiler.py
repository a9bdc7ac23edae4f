"""Names in objects: those of a checkout, wherever Opsmith and the project are."""

from __future__ import annotations

from pathlib import Path

import pytest

from opsmith.contract.assertions import shown_path
from opsmith.home import HOME, RUNTIMES, shipped
from opsmith.scons.compiler import inside, prefix_maps, relative
from opsmith.scons.folders import bindings_folder, object_stem
from opsmith.scons.settings import read_settings

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

"""Packages that ops require are installed by Conan; what it refuses is one error."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.errors import ToolchainError
from opsmith.package.conan import Conan
from opsmith.package.install import Installation, install
from opsmith.package.installed import COMPILE, FACTS, LINK, LOCK
from tests.refusals import refusal

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
RECIPES = ROOT / "tests/data/packages/index"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Conan's home folder, which all tests of the module share."""
    return tmp_path_factory.mktemp("conan") / "home"


def wanting(reference: str, index: Path = RECIPES, board: str = "mps3_an547") -> Installation:
    """Installation for an op that requires the package `reference`."""
    found = load_board(board, [ROOT / "boards"])
    return Installation({reference: ("mix",)}, (str(index),), found, 12, None)


def edited(folder: Path, file: str, old: str, new: str) -> Path:
    """Copy of the index in which one file is edited."""
    shutil.copytree(RECIPES, folder)
    path = folder / "recipes/fastmath/all" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return folder


def test_ops_that_require_nothing_need_no_conan(tmp_path: Path) -> None:
    (tmp_path / "earlier").mkdir()
    nothing = replace(wanting("fastmath/1.2"), required={})
    files = install(nothing, tmp_path / "nowhere", tmp_path)
    assert json.loads(files[FACTS]) == {"packages": []}
    assert files[COMPILE] == files[LINK] == files[LOCK] == ""
    assert [*tmp_path.iterdir()] == []


def test_a_lock_decides_the_version(home: Path, tmp_path: Path) -> None:
    files = install(wanting("fastmath/1.2"), home, tmp_path / "first")
    assert json.loads(files[FACTS])["packages"][0]["version"] == "1.2"
    assert "%" not in files[LOCK]
    lock = tmp_path / "model.conan.lock"
    lock.write_text(files[LOCK])
    pinned = replace(wanting("fastmath/[>=1.2 <2]"), lock=lock)
    again = install(pinned, home, tmp_path / "again")
    assert again[LOCK] == files[LOCK]
    assert again[FACTS] == files[FACTS]
    place = tmp_path / "again" / "fastmath"
    assert again[COMPILE] == f"-I{place}/include\n-DFASTMATH_BIAS=5\n"
    assert again[LINK].splitlines()[1:-1] == [f"{place}/lib/libfastmath.a"]


def test_a_lock_without_a_package_is_refused(home: Path, tmp_path: Path) -> None:
    lock = tmp_path / "model.conan.lock"
    lock.write_text('{"version": "0.5", "requires": ["another/1.0"]}')
    with pytest.raises(ToolchainError, match="not in lockfile"):
        install(replace(wanting("fastmath/1.2"), lock=lock), home, tmp_path / "out")


def test_what_sources_no_longer_have_is_not_taken_from_the_cache(
    home: Path, tmp_path: Path
) -> None:
    conan = Conan(home)
    conan.prepare()
    recipe = RECIPES / "recipes/fastmath/all"
    conan.run("export", str(recipe), "--name=fastmath", "--version=1.9")
    files = install(wanting("fastmath/[>=1.2 <2]"), home, tmp_path)
    assert json.loads(files[FACTS])["packages"][0]["version"] == "1.3"


def test_what_is_not_found_is_named_with_who_asks_and_where_it_was_looked_for(
    home: Path, tmp_path: Path
) -> None:
    reference = "fastmath/[>=3]"
    (problem,) = refusal(install, wanting(reference), home, tmp_path).problems
    assert problem.code == "BLD081"
    assert reference in problem.what
    assert f"requires= of the ops (mix: {reference}), or conan={RECIPES}" in problem.fix


def test_what_the_compiler_says_of_a_library_is_in_the_error(home: Path, tmp_path: Path) -> None:
    index = edited(tmp_path / "index", "src/fastmath.c", "int32_t y =", "int33_t y =")
    with pytest.raises(ToolchainError, match="BLD081") as raised:
        install(wanting("fastmath/1.3", index), home, tmp_path / "out")
    assert "error: unknown type name 'int33_t'" in str(raised.value)
    assert "fastmath/1.3: Error in build() method" in str(raised.value)


def test_a_package_without_its_archive_is_refused(home: Path, tmp_path: Path) -> None:
    index = edited(tmp_path / "index", "conanfile.py", 'libs = ["fastmath"]', 'libs = ["fast"]')
    recipe = index / "recipes/fastmath/all/conanfile.py"
    dangling = 'os.symlink("nowhere", os.path.join(target, "include/link.h"))'  # which is no matter
    copied = 'copy(self, "*.h", os.path.join(source, "src"), os.path.join(target, "include"))'
    recipe.write_text(recipe.read_text().replace(copied, f"{copied}\n        {dangling}"))
    with pytest.raises(ToolchainError, match="BLD087: has no archive libfast.a"):
        install(wanting("fastmath/1.3", index), home, tmp_path / "out")

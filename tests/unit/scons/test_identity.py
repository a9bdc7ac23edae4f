"""The toolchain id, with compilers made of shell."""

from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.board.architecture import Architecture
from opsmith.board.packages import missing_program
from opsmith.board.platforms import platforms
from opsmith.errors import ToolchainError
from opsmith.scons.identity import identify
from tests.refusals import refusal

ARM = platforms().architecture("arm", Path())
MINE = Architecture("mine", "Mine", ARM.folder, hosted=False, tools="my-", libraries=("libc.a",))
DRIVER = """#!/bin/sh
echo called >> {folder}/log
case "$1" in
  --version) echo "fake 1.0"; echo more ;;
  -print-prog-name=cc1plus) echo {folder}/cc1plus ;;
  -print-file-name=libc.a) echo {libc} ;;
  *) echo "${{1#*=}}" ;;
esac
"""


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cc1plus").write_text("machine code")
    (tmp_path / "cc1plus").chmod(0o755)
    (tmp_path / "libc.a").touch()
    text = DRIVER.format(folder=tmp_path, libc=tmp_path / "libc.a")
    for name in ("my-g++", "my-gcc"):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


@pytest.mark.slow
def test_the_id_changes_with_what_the_driver_runs(compiler: Path) -> None:
    cache = compiler / "build" / "cache.json"
    first = identify(MINE, cache)
    assert first.compiler == "fake 1.0"
    (compiler / "cc1plus").write_text("other machine code")
    assert identify(MINE, cache).sha256 != first.sha256


def test_a_compiler_without_c_plus_plus_17_is_named_before_anything_is_built(
    compiler: Path,
) -> None:
    driver = compiler / "my-g++"
    old = 'case "$*" in *c++17*) echo "unrecognized option" >&2; exit 1 ;; esac\n'
    head, case, rest = driver.read_text().partition("case")
    driver.write_text(head + old + case + rest)
    (problem,) = refusal(identify, MINE, compiler / "build" / "cache.json").problems
    assert (problem.code, problem.where) == ("BLD010", str(driver))
    assert problem.what.startswith("fake 1.0 does not compile C++17")
    assert not (compiler / "build").exists()


@pytest.mark.slow
def test_nothing_is_run_while_nothing_changed(compiler: Path) -> None:
    cache = compiler / "build" / "cache.json"
    first = identify(MINE, cache)
    (compiler / "log").unlink()
    assert identify(MINE, cache) == first
    assert not (compiler / "log").exists()


@pytest.mark.slow
def test_other_libraries_are_looked_at_again(compiler: Path) -> None:
    cache = compiler / "build" / "cache.json"
    identify(MINE, cache)
    (compiler / "log").unlink()
    identify(replace(MINE, libraries=("libc.a", str(compiler / "libc.a"))), cache)
    assert (compiler / "log").exists()


@pytest.mark.slow
def test_libraries_that_the_compiler_lacks_are_named(compiler: Path) -> None:
    mine = replace(MINE, libraries=("libc.a", "libgc.a", "libm.a"))
    error = refusal(identify, mine, compiler / "build" / "cache.json")
    told = [(problem.code, problem.what) for problem in error.problems]
    assert told == [
        ("BRD018", "the compiler has no libgc.a"), ("BRD018", "the compiler has no libm.a")
    ]  # fmt: skip


@pytest.mark.slow
def test_an_altered_cache_is_made_again(compiler: Path) -> None:
    cache = compiler / "build" / "cache.json"
    first = identify(MINE, cache)
    digit = "1" if first.sha256[0] == "0" else "0"
    text = cache.read_text().replace(first.sha256, digit + first.sha256[1:])
    assert first.sha256 not in text
    cache.write_text(text)
    assert identify(MINE, cache) == first


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["", "{", '{"files": 3, "id": {}}', "[]"])
def test_a_damaged_cache_is_made_again(compiler: Path, damage: str) -> None:
    cache = compiler / "build" / "cache.json"
    first = identify(MINE, cache)
    cache.write_text(damage)
    assert identify(MINE, cache) == first


def test_a_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match="arm-none-eabi-gcc is not installed"):
        identify(ARM, tmp_path / "cache")


def test_a_missing_c_library_is_named(compiler: Path) -> None:
    (compiler / "my-g++").write_text(DRIVER.format(folder=compiler, libc="libc.a"))
    with pytest.raises(ToolchainError, match="install .* libnewlib-arm-none-eabi"):
        identify(MINE, compiler / "cache")


def test_a_compiler_that_fails_is_an_error(compiler: Path) -> None:
    (compiler / "my-g++").write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(ToolchainError, match="exit status 3"):
        identify(MINE, compiler / "cache")


def test_an_empty_entry_of_path_is_the_current_folder(
    compiler: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty entry of PATH is the current folder, where a program is found by its name."""
    monkeypatch.chdir(compiler)
    monkeypatch.setenv("PATH", ":/usr/bin:/bin")
    assert identify(MINE, compiler / "cache").compiler == "fake 1.0"


def test_links_to_ccache_are_the_compilers_further_on(
    compiler: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = identify(MINE, compiler / "cache")
    links = compiler / "links"
    links.mkdir()
    (links / "ccache-4.8").write_text("#!/bin/sh\nexit 3\n")
    (links / "ccache-4.8").chmod(0o755)
    for name in ("my-g++", "my-gcc"):
        (links / name).symlink_to("ccache-4.8")
    monkeypatch.setenv("PATH", f"{links}:{compiler}:/usr/bin:/bin")
    assert identify(MINE, compiler / "cache") == plain


@pytest.mark.parametrize(("program", "package"), [
    ("qemu-system-arm", "qemu-system-arm"),
    ("g++", "g++"),
    ("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
    ("my-gcc", "my-gcc"),  # in no list
])  # fmt: skip
def test_a_missing_program_is_reported_with_its_package(program: str, package: str) -> None:
    (problem,) = missing_program("BLD010", program, ARM.packages).problems
    assert problem.what == f"{program} is not installed"
    assert f" {package}; .venv/bin/opsmith doctor says" in problem.fix

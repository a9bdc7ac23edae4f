"""Tests of the content of build.ninja, and of when it cannot be written."""

import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.ninja.build_file import Edge, build_file, ninja_syntax
from opsmith.ninja.graph import absent_headers, check_makers, for_scons, scanned
from opsmith.ninja.step import read_step, step_as_data
from opsmith.steps.sealed import Declared, Sealed, Unsigned


def step(
    product: str, *files: str, compiles: bool = False, built: tuple[str, ...] = ()
) -> Declared:
    command = ["cc", Unsigned("-I/root"), "-Ifirst", "-Isecond", "$a b"]
    rules = Path(f"{product}.d") if compiles else None
    return Declared(Sealed([command], f"CC {product}", rules=rules), [product], [], files, built)


def test_names_are_neither_variables_nor_several_words() -> None:
    edges = [Edge("s1", "CC $a b.cc", ["o/a b.o"], []), Edge("s2", "LINK", ["elf"], ["o/a b.o"])]
    text = build_file(Path("build/m"), ["py thon", "-m", "SCons", "model=$x y"], edges)
    assert "says = CC $$a b.cc\n" in text
    assert "build o/a$ b.o: step | " in text
    assert "command = 'py thon' -I -S " in text
    assert "default all\n" in text
    assert "build all: phony elf\n" in text


def test_of_two_spaces_ninja_drops_none() -> None:
    python = "/opt" + "/a  b" * 20 + "/python"
    text = build_file(Path("build/m"), [python, "-m", "SCons"], [Edge("s", "CC", ["o"], [])])
    assert f"'{python}' -I -S " in text


def test_ninja_in_another_folder_is_refused(tmp_path: Path) -> None:
    """Ninja in a different folder is refused, by a check that reads no file of the project."""
    edges = [Edge("s", "CC a.cc", ["a.o"], [])]
    (tmp_path / "build.ninja").write_text(build_file(Path("build/m"), ["gone/python"], edges))
    ninja = str(Path(sys.executable).with_name("ninja"))
    done = subprocess.run([ninja, "-C", str(tmp_path)], capture_output=True, text=True, check=False)
    where = f"  where: {tmp_path}\n  fix:   go there, and run ninja -f build/m/build.ninja\n"
    assert done.returncode != 0
    assert f"error BLD103: ninja does not run in the project's folder\n{where}" in done.stderr


def test_the_writer_of_ninja_is_asked_for_where_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ninja", None)
    with pytest.raises(ToolchainError, match="BLD100.*needs the package 'ninja'"):
        ninja_syntax()


def test_steps_before_a_compilation_are_scons_s() -> None:
    convert, bind = step("a.cc", "m.tflite", "used"), step("a.op.h", "op.py")
    resolve, check = step("used", "m.tflite"), step("ok", "a.cc")
    compiles = step("a.o", "a.cc", "a.op.h", "k.h", compiles=True)
    steps = [step("elf", "a.o", "ok"), compiles, convert, bind, resolve, check]
    assert set(map(id, for_scons(steps))) == set(map(id, [convert, bind, resolve]))
    assert scanned(steps, {"a.cc", "a.op.h"}) == {"k.h": ["/root", "first", "second"]}


def test_headers_that_are_not_there_are_known_by_all_their_places(tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "b.h").touch()
    (tmp_path / "a.cc").write_text('#include "b.h"\n  # include <c/d.h>\n// #include "e.h"\n')
    found = absent_headers([(str(tmp_path / "a.cc"), [str(tmp_path / "second")])])
    names = {str(Path(path).relative_to(tmp_path)) for path in found}
    assert names == {"b.h", "c/d.h", "second/c/d.h"}


def test_what_a_builder_of_the_sconstruct_makes_is_refused() -> None:
    made = step("a.cc")
    check_makers([made, step("a.o", "a.cc", built=("a.cc",))])
    with pytest.raises(ToolchainError, match="BLD101") as refused:
        check_makers([made, step("a.o", built=("generated.h",))])
    assert refused.value.problems[0].where == "generated.h"


def test_a_step_is_the_same_after_it_was_written() -> None:
    declared = step("a.o", "a.cc", compiles=True)
    work = read_step(step_as_data(declared.work, ["a.o"], [], ["a.cc"]))
    assert work == declared.work
    assert work.signature == declared.work.signature

"""`export` makes all of a folder or nothing, of packages that may have come from anywhere."""

import errno
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opsmith.cli import main
from opsmith.export.kind import kinds
from opsmith.export.layout import example, filled
from opsmith.package.description import (
    DESCRIPTION,
    WrongDescriptionError,
    description,
    read_description,
)
from opsmith.package.sources import LISTING
from tests.special import SPECIAL, replace_by
from tests.unit.commands.packages import FILES, PACKAGE, WEIGHTS, package


def below(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {f.relative_to(folder).as_posix(): f.read_text(encoding="utf-8") for f in found}


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(kinds()))
def test_sources_are_found_from_where_they_are(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "a" / "b"
    assert main(["export", kind, str(package(tmp_path)), str(out)]) == 0
    found = below(out)
    form = kinds()[kind]
    headers, sources = (each.replace("@name@", "kws") for each in (form.headers, form.sources))
    model = found[f"{sources}/model{form.suffix}"]
    for line, target in zip(
        model.splitlines()[2:], (f"{headers}/kws.h", f"{sources}/ops/add/add.h"), strict=False
    ):
        named = line.split('"')[1]
        assert (out / sources / named).resolve() == out / target
    assert found[f"{sources}/ops/add/add.h"] == '#include "../../runtimes/core/walk.h"\n'
    assert "#include <stdint.h>" in model
    assert found["licenses/nn/COPYING"] == "theirs"
    assert not {f"{sources}/CMakeLists.txt", "report.json", LISTING, DESCRIPTION} & found.keys()
    assert not any("@" in text.replace("$@", "").replace("\t@", "") for text in found.values())
    assert not list(tmp_path.rglob(".opsmith-export-*"))


def test_constants_are_in_the_text(tmp_path: Path) -> None:
    assert main(["export", "cmake", str(package(tmp_path)), str(tmp_path / "out")]) == 0
    lines = below(tmp_path / "out")["src/weights.cc"].splitlines()
    assert not [line for line in lines if ".incbin" in line]
    places = [lines.index(f"  constant kws.{each}") for each in ("a, 4, 0, 3", "b, 4, 4, 2")]
    assert [lines[place + 1] for place in places] == ["  .byte 0,1,2", "  .byte 4,5"]
    assert lines[-3] == "  .purgem constant"


@pytest.mark.parametrize("there", ["file", "kws.txt", "link", ".git/config"])
def test_a_folder_that_is_not_empty_is_left_as_it_is(
    tmp_path: Path, there: str, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    if there == "file":
        out.write_text("mine")
    elif there == "link":
        out.symlink_to(tmp_path / "nowhere")
    else:
        (out / there).parent.mkdir(parents=True)
        (out / there).write_text("mine")
    made = package(tmp_path)
    before = below(tmp_path)
    assert main(["export", "cmake", str(made), str(out)]) == 2
    assert capfd.readouterr().err.count("error BLD051") == 1
    assert below(tmp_path) == before


def test_a_folder_in_the_package_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = package(tmp_path)
    assert main(["export", "cmake", str(made), str(made / "cmake")]) == 2
    assert "error BLD051: the folder is part of the package" in capfd.readouterr().err
    assert not (made / "cmake").exists()


def test_what_cannot_be_written_leaves_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = package(tmp_path)
    before = below(tmp_path)
    assert main(["export", "cmake", str(made), str(tmp_path / "a" / ("x" * 300))]) == 2
    assert "error BLD002" in capfd.readouterr().err
    rename = Path.rename
    moved: list[Path] = []

    def full(path: Path, target: Path) -> Path:
        if len(moved) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        moved.append(target)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", full)
    assert main(["export", "cmake", str(made), str(tmp_path / "a/b")]) == 2
    assert "error BLD002: cannot write: No space left on device" in capfd.readouterr().err
    assert len(moved) == 3
    assert below(tmp_path) == before
    assert not (tmp_path / "a").exists()


def test_a_mistyped_kind_is_recognised(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "zephir", str(package(tmp_path)), str(tmp_path / "out")]) == 2
    error = capfd.readouterr().err
    assert "error BLD050" in error
    assert "did you mean 'zephyr'?" in error


def edited(folder: Path) -> None:
    (folder / "src/model.cc").write_text("int other;")
    (folder / "NOTICE").unlink()


def linked(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.write_bytes((folder / "src/model.cc").read_bytes())
    (folder / "src/model.cc").unlink()
    (folder / "src/model.cc").symlink_to(outside)


def listing(line: str) -> Any:
    def change(folder: Path) -> None:
        with (folder / LISTING).open("a") as file:
            file.write(f"{line}\n")

    return change


@pytest.mark.parametrize(("damage", "errors"), [
    (edited, ["src/model.cc is not what SHA256SUMS says", "NOTICE cannot be read"]),
    (linked, ["SHA256SUMS names something other than files"]),
    (listing(f"{'0' * 64}  ../outside"), ["SHA256SUMS names something other than files"]),
    (listing(f"{'0' * 64}  /etc/passwd"), ["SHA256SUMS names something other than files"]),
    (listing(f"{'0' * 64}  src/./model.cc"), ["SHA256SUMS names something other than files"]),
    (listing("nonsense"), ["SHA256SUMS names something other than files"]),
    (lambda folder: (folder / LISTING).unlink(), ["this is no package of `library`"]),
    (lambda folder: (folder / LISTING).write_text(""), ["opsmith.json is not there"]),
])  # fmt: skip
def test_a_damaged_package_is_refused(
    tmp_path: Path, damage: Any, errors: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    made = package(tmp_path)
    damage(made)
    assert main(["export", "cmake", str(made), str(tmp_path / "out")]) == 2
    said = capfd.readouterr().err
    assert said.count("error BLD052") == len(errors)
    assert all(error in said for error in errors)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("kind", "files", "error"), [
    ("cmake", {"src/kws_target.h": ""}, "src/kws_target.h would be two files"),
    ("cmake", {"src/kws_target.h/x.h": ""}, "src/kws_target.h would be a file and a folder"),
    ("arduino", {"src/model.cpp": ""}, "src/kws/sources/model.cpp would be two files"),
    ("arduino", {"include/kws/sources/model.cpp": ""}, "model.cpp would be two files"),
    ("cmake", {"src/weights.cc": WEIGHTS.replace("kws_w", "../w")}, "reads ../weights.bin"),
    ("cmake", {"src/weights.cc": '  .incbin "/etc/passwd"\n'}, "it reads /etc/passwd"),
    ("cmake", {"src/weights.cc": 'asm(".INCBIN \\"/etc/passwd\\"")'}, "its .incbin is not"),
    ("cmake", {"src/weights.cc": WEIGHTS.replace("4, 2", "0, 6")}, "have more bytes"),
    ("cmake", {"src/weights.cc": '  .incbin "kws_weights.bin"\n' * 2}, "have more bytes"),
    ("cmake", {"src/a.h": " " * (17 << 20), "src/b.h": " " * (17 << 20)}, "BLD110"),
])  # fmt: skip
def test_what_library_never_makes_is_refused(
    tmp_path: Path, kind: str, files: Any, error: str, capfd: pytest.CaptureFixture[str]
) -> None:
    made = package(tmp_path, {**FILES, **files})
    assert main(["export", kind, str(made), str(tmp_path / "out")]) == 2
    said = capfd.readouterr().err
    assert error in said
    assert said.count("error BLD") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("name", ["src/model.cc", LISTING, DESCRIPTION])
def test_what_is_no_file_is_refused(
    tmp_path: Path, kind: str, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    made = package(tmp_path)
    replace_by(made / name, kind)
    assert main(["export", "cmake", str(made), str(tmp_path / "out")]) == 2
    said = capfd.readouterr().err
    assert said.count("error BLD052") + said.count("error BLD110") == 1


def test_blank_lines_take_no_time(tmp_path: Path) -> None:
    files = {**FILES, "src/weights.cc": "\n" * 300_000 + "  constant a\n" * 100_000}
    assert main(["export", "cmake", str(package(tmp_path, files)), str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(("kind", "change", "error"), [
    ("zephyr", {"libraries": ("-lnn",)}, "zephyr has no place for the libraries -lnn"),
    ("arduino", {"compile": ("-mcpu=m55+nomve.fp",)}, "without which bytes would differ"),
    ("cmake", {"version": "next"}, "tools compare versions by numbers"),
    ("cmake", {"sources": ("model.cc", "gone.cc")}, "src/gone.cc is not there"),
])  # fmt: skip
def test_what_a_kind_cannot_express_is_refused(
    tmp_path: Path, kind: str, change: Any, error: str, capfd: pytest.CaptureFixture[str]
) -> None:
    made = package(tmp_path, about=replace(PACKAGE, **change))
    assert main(["export", kind, str(made), str(tmp_path / "out")]) == 2
    assert error in capfd.readouterr().err


@pytest.mark.parametrize("version", ["2", "2.0", "2.0.0"])
def test_versions_have_three_numbers(tmp_path: Path, version: str) -> None:
    made = package(tmp_path, about=replace(PACKAGE, version=version))
    assert main(["export", "arduino", str(made), str(tmp_path / "out")]) == 0
    assert "\nversion=2.0.0\n" in below(tmp_path / "out")["library.properties"]


@pytest.mark.parametrize(
    ("name", "title"),
    [("kws", "kws"), ("Arduino_kws", "model_Arduino_kws"), ("k" * 64, "k" * 63)],
)
def test_arduino_takes_the_name_of_any_model(tmp_path: Path, name: str, title: str) -> None:
    """arduino-lint allows names of 63 characters, and none that begins with Arduino."""
    files = {path.replace("kws", name): t.replace("kws", name) for path, t in FILES.items()}
    made = package(tmp_path, files, replace(PACKAGE, name=name, data=(f"{name}_weights.bin",)))
    assert main(["export", "arduino", str(made), str(tmp_path / "out")]) == 0
    properties = below(tmp_path / "out")["library.properties"]
    assert properties.startswith(f"name={title}\n")
    assert f"includes={name}_model.h\n" in properties


@pytest.mark.parametrize(
    ("features", "on"), [("", False), ("dsp", False), ("dsp fpu", True), ("mve_float", True)]
)
def test_zephyr_turns_on_the_fpu_that_kernels_use(tmp_path: Path, features: str, on: bool) -> None:
    """Zephyr compiles for software floating point by default, which sources for an FPU refuse."""
    needed = tuple((each, f"HAS_{each.upper()}") for each in features.split())
    made = package(tmp_path, about=replace(PACKAGE, requires=needed))
    assert main(["export", "zephyr", str(made), str(tmp_path / "out")]) == 0
    found = below(tmp_path / "out")
    assert ("CONFIG_FPU=y\n" in found["sample/prj.conf"]) is on
    assert ("CONFIG_FPU=y" in found["README.md"]) is on


@pytest.mark.parametrize("floats", [True, False])
def test_zephyr_prints_floats_where_there_are_some(tmp_path: Path, floats: bool) -> None:
    """Its minimal C library prints %g itself in place of a number by default."""
    whole, real = PACKAGE.outputs
    made = package(tmp_path, about=replace(PACKAGE, outputs=(whole, *[real] * floats)))
    assert main(["export", "zephyr", str(made), str(tmp_path / "out")]) == 0
    settings = below(tmp_path / "out")["sample/prj.conf"]
    assert ("CONFIG_REQUIRES_FLOAT_PRINTF=y\n" in settings) is floats


def test_cmake_links_libraries(tmp_path: Path) -> None:
    files = {**FILES, "lib/libnn.a": "archive"}
    made = package(tmp_path, files, replace(PACKAGE, libraries=("-lnn",)))
    assert main(["export", "cmake", str(made), str(tmp_path / "out")]) == 0
    found = below(tmp_path / "out")
    assert '"-L${CMAKE_CURRENT_SOURCE_DIR}/lib" -lnn\n' in found["CMakeLists.txt"]
    assert found["lib/libnn.a"] == "archive"


@pytest.mark.parametrize("kind", list(kinds()))
def test_names_of_files_say_nothing_to_a_build_system(tmp_path: Path, kind: str) -> None:
    made = package(tmp_path, {**FILES, "src/$(shell touch x).cc": ""})
    assert main(["export", kind, str(made), str(tmp_path / "out")]) == 0
    assert not any("$(shell" in text for text in below(tmp_path / "out").values())


def test_a_description_is_read_as_it_was_written() -> None:
    assert read_description(description(PACKAGE)) == PACKAGE


@pytest.mark.parametrize(("field", "value"), [
    ("name", "k w"),
    ("name", 'k")\nexecute_process('),
    ("name", ["kws"]),
    ("target", 'b"'),
    ("core", ["-O2 -x"]),
    ("flags", ["$(touch x)"]),
    ("flags", "-O2"),
    ("flags", ["-B.."]),
    ("core", ["-specs=LICENSE"]),
    ("core", ["-fplugin=LICENSE"]),
    ("sources", ["../model.cc"]),
    ("sources", ["/model.cc"]),
    ("compiler", "sh -c g++"),
    ("version", "1;2"),
    ("requires", [["dsp"]]),
    ("requires", [["dsp", "A)\n#include </etc/passwd>"]]),
    ("inputs", [["x; int y", "int8"]]),
    ("streams", 1),
    ("format", 2),
    ("more", 1),
])  # fmt: skip
def test_a_description_of_strangers_says_nothing_to_a_build_system(field: str, value: Any) -> None:
    values = json.loads(description(PACKAGE)) | {field: value}
    with pytest.raises(WrongDescriptionError):
        read_description(json.dumps(values))


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", "{}", "\0"])
def test_what_is_no_description_is_refused(text: str) -> None:
    with pytest.raises(WrongDescriptionError):
        read_description(text)


def test_an_example_calls_the_model_as_it_is() -> None:
    own = example(PACKAGE)
    assert own["input"] == ["kws::inputs::x"]
    assert own["invoke"] == "kws::invoke();"
    assert (own["integers"], own["floats"]) == (["kws::outputs::y"], ["kws::outputs::z"])
    given = example(replace(PACKAGE, arena="caller"))
    assert given["start"] == ["kws::start(arena, sizeof arena);"]
    assert given["input"] == ["kws::inputs::x(arena)"]
    streamed = example(replace(PACKAGE, streams=True))
    assert streamed["input"] == []
    assert streamed["invoke"] == "kws::invoke(input);"


@pytest.mark.parametrize(("kind", "file", "defines", "names"), [
    ("cmake", "CMakeLists.txt", r"add_(?:library|executable)\((\S+)",
     {"test_model", "test::test", "test_example"}),
    ("stm32cube", "test.mk", r"^(\w+TEST\w*) :?=",
     {f"MODEL_TEST_{each}" for each in ("DIR", "SOURCES", "OBJECTS", "CXX")}),
    ("zephyr", "CMakeLists.txt", r"zephyr_library_named\((\S+)\)", {"model_test"}),
])  # fmt: skip
def test_a_model_may_be_called_like_something_of_the_tool(
    tmp_path: Path, kind: str, file: str, defines: str, names: set[str]
) -> None:
    files = {path.replace("kws", "test"): text for path, text in FILES.items()}
    files["src/weights.cc"] = WEIGHTS.replace("kws_weights", "test_weights")
    made = package(tmp_path, files, replace(PACKAGE, name="test", data=("test_weights.bin",)))
    assert main(["export", kind, str(made), str(tmp_path / "out")]) == 0
    text = below(tmp_path / "out")[file]
    assert {*re.findall(defines, text, re.MULTILINE)} == names


def test_lines_of_templates_are_repeated() -> None:
    template = "a @one@\n  b @many@ @one@\nc @none@\n"
    assert (
        filled(template, {"one": "1", "many": ["x", "y"], "none": []}) == "a 1\n  b x 1\n  b y 1\n"
    )
    with pytest.raises(KeyError):
        filled("@unknown@", {})

"""Folders of products: today's names for ordinary arguments, others for all that differ."""

import itertools
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from opsmith.home import RUNTIMES
from opsmith.registration import all_files, registration_files
from opsmith.scons.folders import (
    bindings_folder,
    model_folder,
    object_stem,
    plain_folder,
    target_folder,
    used_file,
    variant,
)
from opsmith.scons.settings import read_settings

ROOT = Path(__file__).resolve().parents[3]


def folder(**arguments: str) -> str:
    settings = read_settings({k: v for k, v in arguments.items() if k != "model"}, ROOT)
    return model_folder(replace(settings, model=arguments["model"]), ROOT)


@pytest.mark.parametrize(("arguments", "expected"), [
    ({"model": "kws.tflite"}, "kws"),
    ({"model": "./kws.tflite"}, "kws"),
    ({"model": str(ROOT / "kws.tflite")}, "kws"),
    ({"model": "person-detect_1.0.tflite"}, "person-detect_1.0"),
    ({"model": "a/kws.tflite"}, "kws@a"),
    ({"model": "tests/models/digits_int8.tflite"}, "digits_int8@tests.models"),
    ({"model": "kws.tflite", "opt": "size"}, "kws+size"),
    ({"model": "kws.tflite", "opt": "balanced", "app": "runner", "stream": "0"}, "kws"),
    ({"model": "kws.tflite", "opt": "speed", "app": "bench", "stream": "1"},
     "kws+speed+bench+rows"),
    ({"model": "kws.tflite", "guards": "1", "prefer": "reference"}, "kws+guards+prefer-reference"),
    ({"model": "kws.tflite", "input": "", "verbose": "1", "port": "/dev/tty"}, "kws"),
])  # fmt: skip
def test_ordinary_arguments_are_reported_in_words(arguments: dict[str, str], expected: str) -> None:
    assert folder(**arguments) == expected


MODELS = (
    "m.tflite", "a/m.tflite", "b/m.tflite", "a.b/m.tflite", "a/b/m.tflite", "../m.tflite",
    "/m.tflite", "m@a.tflite", "m+size.tflite", "m b.tflite", "m_b.tflite", "m-b.tflite",
    "M.tflite", ".m.tflite", "m..tflite", "m", "m.bin", "`m`.tflite", "$m.tflite",
    "m" * 200 + ".tflite", "m" * 201 + ".tflite", "con.tflite", "obj.tflite", "a/../m.tflite",
    "b/../m.tflite", "../a/../m.tflite",
)  # fmt: skip


def test_other_models_have_other_folders() -> None:
    found = [folder(model=model) for model in MODELS]
    for one, other in itertools.combinations(zip(MODELS, found, strict=True), 2):
        assert one[1] != other[1], (one, other)
    for name in found:
        assert len(name) <= 100
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.@+-]*", name)


def test_no_plain_name_is_that_of_another_model() -> None:
    tagged = folder(model="../m.tflite")
    assert folder(model=f"{tagged}.tflite") != tagged


def test_other_programs_of_a_model_have_other_folders() -> None:
    programs = [
        {},
        {"opt": "size"},
        {"opt": "speed"},
        {"app": "bench"},
        {"app": "tests/golden/frames"},
        {"stream": "rows"},
        {"stream": "frames"},
        {"guards": "1"},
        {"fold_floats": "1"},
        {"prefer": "reference"},
        {"prefer": "size"},
        {"prefer": "re ference"},
        {"flash_budget": "65536"},
        {"ram_budget": "65536"},
        {"outputs": "a"},
        {"outputs": "a,b"},
        {"outputs": "b,a"},
        {"libraries": "cmsis_nn=/opt/x"},
        {"libraries": "cmsis_nn=/opt/y"},
        {"libraries": "npu=/opt/y"},
        {"libraries": "cmsis_nn=/opt/x,npu=/opt/y"},
        {"ops": "tests/data/my_ops"},
        {"ops": "tests/data/filter_ops/filter_ops"},
        {"platforms": "tests/data/platforms"},
        {"platforms": "../mine"},
        {"tune": "a.toml"},
        {"tune": "b.toml"},
        {"backends": "tests/data/my_backends"},
        {"backends": "runtimes,tests/data/my_backends"},
    ]
    found = [folder(model="m.tflite", **program) for program in programs]
    assert len(set(found)) == len(programs)


@pytest.mark.parametrize(("arguments", "expected"), [
    ({"model": "a/kws.tflite", "opt": "size"}, "kws+size"),
    ({"model": "../kws.tflite", "ops": "tests/data/my_ops", "tune": "a.toml"}, "kws"),
    ({"model": "kws.tflite", "platforms": "../mine"}, "kws"),
    ({"model": "kws.tflite", "libraries": "npu=/opt/x", "guards": "1"}, "kws+guards+npu"),
])  # fmt: skip
def test_debug_information_does_not_say_where_things_are(
    arguments: dict[str, str], expected: str
) -> None:
    settings = read_settings({k: v for k, v in arguments.items() if k != "model"}, ROOT)
    assert plain_folder(replace(settings, model=arguments["model"])) == expected


@pytest.mark.parametrize(("arguments", "words", "expected"), [
    ({"ops": "tests/data/my_ops", "app": "bench", "version": "2.0"}, [], "default"),
    ({"opt": "size", "stream": "rows"}, [], "size+rows"),
    ({"opt": "size"}, ["runtime-reference"], "runtime-reference+size"),
])  # fmt: skip
def test_a_variant_is_what_makes_another_library_for_a_core(
    arguments: dict[str, str], words: list[str], expected: str
) -> None:
    assert variant(read_settings(arguments, ROOT), words) == expected


def test_debug_information_tells_programs_apart() -> None:
    first, second = (read_settings({"outputs": name}, ROOT) for name in "ab")
    assert plain_folder(first) != plain_folder(second)


def test_boards_and_ops_from_outside_have_folders_of_their_own() -> None:
    shipped = target_folder("host", Path("boards/host"), (), "reference")
    assert shipped == Path("build/host-reference")
    mine = target_folder("host", Path("../mine/host"), (), "reference")
    assert shipped != mine != target_folder("host", Path("../other/host"), (), "reference")
    core = Path("arch/arm/cores/new.toml")
    ours = (RUNTIMES / core,)
    assert target_folder("host", Path("boards/host"), ours, "reference") == shipped
    cores = [(*ours, Path(root) / core) for root in ("../mine", "../other")]
    made = {target_folder("host", Path("../mine/host"), each, "reference") for each in cores}
    assert len({*made, mine, shipped}) == 4
    assert bindings_folder(Path("ops/add")) == Path("build/bindings")
    assert bindings_folder(Path("my/add")) != bindings_folder(Path("ops/add"))
    assert bindings_folder(Path("runtimes/cmsis")) == Path("build/bindings")
    assert bindings_folder(Path("my/vendor")) != bindings_folder(Path("runtimes/cmsis"))


def test_objects_stay_below_their_folder() -> None:
    assert object_stem(Path("runtimes/apps/runner/main.cc")) == "runtimes/apps/runner/main.cc"
    beside = f"../not-{ROOT.name}/main.cc"
    for source in (beside, "/x/main.cc", "-x/main.cc", "a b/main.cc", "$x/main.cc"):
        assert object_stem(Path(source)).startswith("outside/")
    assert object_stem(Path("/x/main.cc")) != object_stem(Path("/y/main.cc"))
    assert object_stem(Path("x/uart.cc")) != object_stem(Path("x/uart.c"))


def test_registrations_are_all_that_an_op_may_read(tmp_path: Path) -> None:
    counted = ["op.py", "sub/__init__.py", "sub/table.py", "table.txt"]
    others = ["test_x.py", "reference.h", "README.md", "__pycache__/op.pyc", ".hidden"]
    for name in (*counted, *others):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    def below(found: list[Path]) -> list[str]:
        return [str(path.relative_to(tmp_path)) for path in found]

    assert below(registration_files(tmp_path)) == counted
    kernels = ["README.md", "reference.h", "test_x.py"]
    assert below(all_files(tmp_path)) == sorted([*counted, *kernels])


def used(**arguments: str) -> Path:
    settings = read_settings({k: v for k, v in arguments.items() if k != "model"}, ROOT)
    return used_file(replace(settings, model=arguments["model"]))


def test_which_ops_a_model_uses_is_listed_once_for_all_targets(monkeypatch: Any) -> None:
    monkeypatch.chdir(ROOT)
    one = used(model="a/kws.tflite", board="host")
    assert one == Path("build/used_ops/kws@a.json")
    assert one == used(model="a/kws.tflite", board="stm32", opt="size", guards="1", outputs="y")


def test_models_and_places_of_ops_have_lists_of_their_own(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    shutil.copytree(ROOT / "ops" / "relu", tmp_path / "relu")
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "runtime.toml").touch()
    place = str(tmp_path)
    lists = [used(model="kws.tflite"), used(model="a/kws.tflite"), used(model="kws.lite")]
    lists += [used(model="kws.tflite", **{each: place}) for each in ("ops", "backends")]
    lists += [used(model="kws.tflite", platforms=place)]
    assert len(set(lists)) == len(lists)

"""Builds: what an edit builds again, how mistakes are reported, what a failure leaves."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.report.build_info import BUILD_INFO
from opsmith.report.page import PAGE
from opsmith.scons.convert import KERNELS, OUTPUTS
from opsmith.scons.folders import tag
from opsmith.steps.seal import seal_file
from opsmith.steps.sealed import listed
from opsmith.tflite.writer import ModelWriter
from tests.commands import said
from tests.stress.places import sums
from tests.system.project import PRODUCTS, Project, convolutions, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]

HOST = ("board=host", "model=tiny.tflite")
ARM = ("board=mps2_an386", "model=tiny.tflite")
HOST_FOLDER = "host-reference/tiny"
ARM_FOLDER = "mps2_an386-cmsis/tiny"


# Tests of one folder after each other, and edits of the toolchain last: whenever the folder or its
# toolchain is another one than before, SCons imports the toolchain again.


@pytest.fixture(scope="module")
def pristine(projects: Path) -> Project:
    """Project with a few ops and nothing built."""
    return make_project(projects / "p", ops=("add", "conv_2d"), bare=True)


@pytest.fixture(scope="module")
def built_once(pristine: Project, projects: Path) -> Project:
    """Project with firmware for an Arm board."""
    project = pristine.copy(projects / "built")
    project.build(*ARM)
    return project


@pytest.fixture
def built(built_once: Project) -> Project:
    """Copy of the built project, for one test to change."""
    return built_once.lent()


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["bord=host"], ["unknown variable 'bord' (did you mean 'board'?)"]),
        (
            ["model=tny.tflite", "opt=sped", "app=runer", "ops=nowhere", "boards=nowhere"],
            [
                "model=tny.tflite does not exist (did you mean",
                "opt cannot be 'sped' (did you mean 'speed'?)",
                "app=runer does not exist (did you mean 'runner'?)",
                "ops=nowhere does not exist",
                "boards=nowhere does not exist",
            ],
        ),
        (["board=hots", "model=tiny.tflite"], ["(did you mean 'host'?)"]),
        ([*HOST, "runtime=cmsi"], ["unknown runtime 'cmsi' (did you mean 'cmsis'?)"]),
        (
            ["rnu", "ops/conv2d/", "ops/conv_2d/op.py", "toolchain", f"build/{HOST_FOLDER}/m.elf"],
            [
                "unknown target 'rnu' (did you mean 'run'?)",
                "unknown target 'ops/conv2d' (did you mean 'ops/conv_2d'?)",
                "'ops/conv_2d/op.py' is no target",
                "'toolchain' is no target",
                f"unknown target 'build/{HOST_FOLDER}/m.elf'",
            ],
        ),
        ([], ["nothing says which board and which model"]),
        (["run", "model=tiny.tflite"], ["nothing says which board"]),
        (
            ["--board=host", "model=tiny.tflite"],
            ["--board=host: variables have no dashes"],
        ),
        (["--bord=host", "model=tiny.tflite"], ["fix:   write board=host"]),
    ],
)
def test_typing_errors_are_reported_at_once_and_end_with_2(
    pristine: Project, arguments: list[str], expected: list[str]
) -> None:
    outcome = pristine.scons(*arguments)
    assert not [each for each in expected if each not in outcome.text], outcome.text
    assert f"\n{outcome.text}".count("\nerror ") == len(expected), outcome.text
    assert outcome.status == 2
    assert "fix:" in outcome.text
    assert "firmware.elf" not in {path.name for path in pristine.root.glob("build/*/*/*")}


def test_help_and_lists_need_no_board(pristine: Project) -> None:
    for arguments, expected in (["-h"], ["board="]), (["boards", "ops"], ["mps2_an386", "conv_2d"]):
        outcome = pristine.scons(*arguments)
        assert outcome.status == 0, outcome.text
        assert not [each for each in expected if each not in outcome.text], outcome.text


def test_commands_can_be_pasted_into_a_shell(pristine: Project) -> None:
    shown = pristine.build(*ARM, "verbose=1", "-n").text
    prefixes = (sys.executable, "arm-none-eabi-")
    commands = [line for line in shown.splitlines() if line.startswith(prefixes)]
    assert len(commands) > 10
    for line in commands:
        assert "$" not in line


def test_a_missing_compiler_is_named_with_its_package(pristine: Project, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    outcome = pristine.scons(*ARM, path=str(tmp_path / "bin"))
    assert "error BLD010: arm-none-eabi-gcc is not installed" in outcome.text
    assert "apt-get install -y --no-install-recommends gcc-arm-none-eabi" in outcome.text
    assert outcome.status == 2


def test_a_missing_emulator_is_named_with_its_package(pristine: Project, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for program in ("g++", "gcc", "as", "ld"):
        found = shutil.which(f"arm-none-eabi-{program}")
        assert found
        (tmp_path / "bin" / f"arm-none-eabi-{program}").symlink_to(found)
    outcome = pristine.scons(*ARM, "run", path=str(tmp_path / "bin"))
    assert "error BLD011: qemu-system-arm is not installed" in outcome.text
    assert outcome.status == 2


@pytest.mark.few(0)  # test_shared_builds.py has ccache
def test_compilers_that_are_links_to_ccache_are_run_without_it(
    built: Project, tmp_path: Path
) -> None:
    """Compilers that link to ccache run without it, as it does not keep files beside objects."""
    ccache = tmp_path / "ccache"
    ccache.write_text('#!/bin/sh\n[ "$CCACHE_DISABLE" ] && exec "/usr/bin/${0##*/}" "$@"\nexit 9\n')
    ccache.chmod(0o755)
    for driver in ("g++", "gcc"):
        (tmp_path / f"arm-none-eabi-{driver}").symlink_to(ccache)
    before = built.products(ARM_FOLDER)
    built.append("runtimes/apps/runner/main.cc", "// edited\n")
    outcome = built.scons(*ARM, path=f"{tmp_path}:{os.environ['PATH']}")
    assert (outcome.status, outcome.ran("CC")) == (0, {"main.cc"}), outcome.text
    after = built.products(ARM_FOLDER)
    assert after["firmware.bin"] == before["firmware.bin"]
    old, new = (json.loads(each["report.json"]) for each in (before, after))
    assert old["toolchain"] == new["toolchain"]
    assert old["firmware"]["digest"] == new["firmware"]["digest"]  # no object is another one


def test_no_byte_depends_on_debug_information_or_the_folder_of_a_model(built: Project) -> None:
    """Debugging information changes no byte of the program; the folder of a model changes none of
    debugging information or of the linker's map, either.
    """
    before = built.products(ARM_FOLDER)
    deeper = built.root / "models" / "of mine"
    deeper.mkdir(parents=True)
    shutil.copy(built.root / "tiny.tflite", deeper)
    for model in ("tiny.tflite", "models/of mine/tiny.tflite"):
        outcome = built.build("board=mps2_an386", f"model={model}", "debug=1")
        assert "nodes_conv_2d.cc" in outcome.ran("CC")
    first, second = (
        built.products(f"mps2_an386-cmsis/{folder.name}")
        for folder in sorted((built.root / "build" / "mps2_an386-cmsis").glob("tiny*"))
    )
    assert first["firmware.map"] == second["firmware.map"]
    assert first["firmware.elf"] == second["firmware.elf"]
    assert first["firmware.bin"] == before["firmware.bin"]
    assert len(first["firmware.elf"]) > len(before["firmware.elf"])


def test_two_op_folders_of_one_name_are_both_named(pristine: Project, tmp_path: Path) -> None:
    shutil.copytree(pristine.root / "ops" / "add", tmp_path / "mine" / "add")
    outcome = pristine.scons(*HOST, f"ops={tmp_path / 'mine'}")
    assert "error BLD007: two op folders are called 'add'" in outcome.text
    assert outcome.status == 2


def test_a_null_build_does_nothing(built: Project) -> None:
    before = built.products(ARM_FOLDER)
    outcome = built.build(*ARM)
    assert "is up to date" in outcome.text
    assert not [step for step in ("CC", "RESOLVE", "CONVERT", "LINK") if outcome.ran(step)]
    assert built.products(ARM_FOLDER) == before


def test_an_edited_kernel_compiles_only_the_ops_that_use_it(built: Project) -> None:
    """An edited kernel compiles only the ops that use it, also when edited in the last build's
    second, and gives another digest.
    """
    before = digest_of(built, ARM_FOLDER)
    folder = built.root / "build" / ARM_FOLDER
    users = {
        path.name
        for path in folder.glob("nodes_*.cc")
        if "conv_2d/i8/dsp.h" in path.read_text(encoding="utf-8")
    }
    assert users == {"nodes_conv_2d.cc"}
    built.append("ops/conv_2d/i8/dsp.h", "[[gnu::used]] static int edited = 1;\n")
    outcome = built.build(*ARM)
    assert outcome.ran("CC") == users
    assert outcome.ran("LINK") == {"firmware.elf"}
    for step in ("BIND", "RESOLVE", "CONVERT"):
        assert not outcome.ran(step)
    assert digest_of(built, ARM_FOLDER) != before
    kernel = built.root / "ops/conv_2d/i8/dsp.h"
    stamp = kernel.stat().st_mtime_ns
    built.append("ops/conv_2d/i8/dsp.h", "// edited\n")
    os.utime(kernel, ns=(stamp, stamp))
    assert built.build(*ARM).ran("CC") == users


def test_an_edit_of_an_op_converts_only_the_models_that_use_it(built: Project) -> None:
    """Models whose names have spaces and signs are converted again, too; another option gives
    another digest.
    """
    name = "its sums'; (v2).tflite"
    (built.root / name).write_bytes(sums())
    other = ("board=mps2_an386", f"model={name}")
    built.build(*other)
    assert "firmware.elf" in built.products(f"mps2_an386-cmsis/its_sums_v2-{tag(name)}")
    built.append("ops/add/op.py", "# edited\n")
    outcome = built.build(*ARM)
    assert outcome.ran("RESOLVE") == {"tiny.tflite"}
    assert not outcome.ran("CONVERT")
    another = built.build(*ARM, "opt=size")  # which needs not ask again
    assert another.ran("CONVERT") == {"tiny.tflite"}
    assert not another.ran("RESOLVE")
    assert digest_of(built, f"{ARM_FOLDER}+size") != digest_of(built, ARM_FOLDER)
    assert f"CONVERT {name}" in built.build(*other).text
    built.append("ops/conv_2d/op.py", "# edited\n")
    outcome = built.build(*ARM)
    assert outcome.ran("CONVERT") == {"tiny.tflite"}, outcome.text
    assert not outcome.ran("CC")  # the same C++ came out


def test_one_changed_weight_changes_the_firmware(built: Project) -> None:
    before = built.products(ARM_FOLDER)
    (built.root / "tiny.tflite").write_bytes(convolutions(changed=1))
    built.build(*ARM)
    after = built.products(ARM_FOLDER)
    assert before["firmware.elf"] != after["firmware.elf"]
    weights = (built.root / "build" / ARM_FOLDER / "weights.bin").read_bytes()
    assert weights in after["firmware.bin"]


def test_a_copy_of_a_board_gives_another_digest(built: Project) -> None:
    (built.root / "copies" / "copy_of_an386").mkdir(parents=True)
    manifest = (built.root / "boards/mps2_an386/board.toml").read_text(encoding="utf-8")
    copied = "".join(f"{line}\n" for line in manifest.split("\n") if "aliases" not in line)
    (built.root / "copies/copy_of_an386/board.toml").write_text(copied, encoding="utf-8")
    built.build("boards=copies", "board=copy_of_an386", ARM[1])
    theirs = digest_of(built, ARM_FOLDER.replace("mps2_an386-cmsis", "copy_of_an386-cmsis@*"))
    assert theirs != digest_of(built, ARM_FOLDER)


def digest_of(built: Project, folder: str) -> str:
    (report,) = (built.root / "build").glob(f"{folder}/report.json")
    return str(json.loads(report.read_text(encoding="utf-8"))["firmware"]["digest"])


def test_weights_alone_are_a_reason_to_assemble_again(built: Project) -> None:
    rules = built.scons(*ARM, "--tree=prune", f"build/{ARM_FOLDER}/obj/weights.o").text
    assert f"build/{ARM_FOLDER}/weights.bin" in rules


def test_a_build_that_fails_half_way_keeps_the_last_products(built: Project) -> None:
    before = built.products(ARM_FOLDER)
    assert len(before) == len(PRODUCTS)
    built.append("ops/conv_2d/i8/dsp.h", "#error broken on purpose\n")
    outcome = built.scons(*ARM, "run")
    assert "broken on purpose" in outcome.text
    assert "bit-exact" not in outcome.text
    assert outcome.status == 2
    assert built.products(ARM_FOLDER) == before


def test_over_budget_is_an_error_with_the_numbers(built: Project) -> None:
    before = built.products(ARM_FOLDER)
    built.edit("boards/mps2_an386/board.toml", 'size = "4M" } # SSRAM1', 'size = "1K" } # SSRAM1')
    outcome = built.scons(*ARM, "run")
    assert outcome.text.count("error ") == 1
    assert "error BLD020: flash is over budget" in outcome.text
    assert "RUN " not in outcome.text
    assert "of 1024" in outcome.text
    assert outcome.status == 2
    assert built.products(ARM_FOLDER) == before


def test_compile_commands_are_the_commands(built: Project) -> None:
    built.build(*ARM, "compile_commands")
    entries = json.loads((built.root / "compile_commands.json").read_text(encoding="utf-8"))
    files = {Path(entry["file"]).name for entry in entries}
    assert {"model.cc", "nodes_conv_2d.cc", "main.cc"} <= files
    command = next(entry["arguments"] for entry in entries if "nodes_conv_2d.cc" in entry["file"])
    subprocess.run([*command, "-fsyntax-only"], cwd=built.root, check=True)


def test_scons_knows_every_file_that_the_converter_writes(built_once: Project) -> None:
    folder = built_once.root / "build" / ARM_FOLDER
    found = {path.name for path in folder.iterdir() if path.is_file()}
    seals = {seal_file(folder / name).name for name in ("model.h", "firmware.elf")}
    kernels = {file.name for file in listed(folder / KERNELS)}
    assert kernels == {"nodes_conv_2d.cc"}
    known = {*OUTPUTS, *kernels, *PRODUCTS, BUILD_INFO, ".lock", *seals}
    assert found - {PAGE} == known  # which needs an optional package


def test_each_op_of_the_model_has_a_source_and_what_it_lost_has_none(built: Project) -> None:
    folder = built.root / "build" / ARM_FOLDER
    before = built.products(ARM_FOLDER)
    model = built.root / "tiny.tflite"
    old = model.read_bytes()
    m = ModelWriter()
    x, y = m.input("x", (4,), "int8", 0.5), m.tensor("y", (4,), "int8", 0.5)
    m.node("ADD", [x, x], [y], {"fused_activation_function": "NONE"}, version=2)
    m.output(y)
    model.write_bytes(m.bytes())
    assert "nodes_add.cc" in built.build(*ARM).ran("CC")
    assert [path.name for path in folder.glob("nodes_*.cc")] == ["nodes_add.cc"]
    (folder / "nodes_add.cc").write_text("damaged")
    assert built.build(*ARM).ran("CONVERT")
    model.write_bytes(old)
    built.build(*ARM)
    assert [path.name for path in folder.glob("nodes_*.cc")] == ["nodes_conv_2d.cc"]
    assert built.products(ARM_FOLDER) == before
    built.build(*ARM, "-c")
    assert not [*folder.glob("*.cc"), *folder.glob("obj/nodes_*.o")]


def test_objects_stay_out_of_the_source_tree(built_once: Project) -> None:
    found = [
        path
        for path in built_once.root.rglob("*")
        if path.suffix in {".o", ".ld", ".a"} and built_once.root / "build" not in path.parents
    ]
    assert not found


def test_the_report_names_the_toolchain_and_the_firmware(built_once: Project) -> None:
    report = json.loads(built_once.products(ARM_FOLDER)["report.json"])
    assert report["toolchain"]["compiler"].startswith("arm-none-eabi-g++")
    assert len(report["toolchain"]["sha256"]) == 64
    elf = built_once.root / "build" / ARM_FOLDER / "firmware.elf"
    digest = said(["sha256sum", elf])
    assert digest.startswith(report["firmware"]["sha256"])
    ram = report["memory"]["ram"]
    assert report["stack_bytes"] <= ram["used"] <= ram["limit"]


def test_an_edit_of_the_converter_converts_again(built: Project) -> None:
    built.append("toolchain/opsmith/select/select_kernels.py", "# edited\n")
    assert built.build(*ARM).ran("CONVERT")
    built.append("toolchain/opsmith/rig/__init__.py", "# edited\n")
    assert "is up to date" in built.build(*ARM).text


def test_an_edit_of_a_core_asks_again_what_kernels_may_require(built: Project) -> None:
    built.append("runtimes/arch/arm/cores/cortex-m33.toml", "# edited\n")
    outcome = built.build(*ARM)
    assert outcome.ran("RESOLVE") == {"tiny.tflite"}
    assert not outcome.ran("CONVERT")
    for core in (built.root / "runtimes/arch/arm/cores").glob("*.toml"):
        core.write_text(core.read_text(encoding="utf-8").replace('"mve"', '"mev"'), "utf-8")
    refused = built.scons(*ARM)
    assert refused.status == 2
    assert "error KRN010: kernel 'mve' requires 'mve', which no core has" in refused.text
